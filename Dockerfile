# syntax=docker/dockerfile:1
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/reasonloom
ENV PATH=/opt/reasonloom/bin:$PATH
COPY requirements.lock ./
# The lock also names what tests need, so it holds versions to what it says and installs nothing.
# pip takes no hashes in constraints.
RUN sed -e '/^ *--hash/d' -e 's/ *\\$//' requirements.lock > constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY reasonloom ./reasonloom
RUN pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.12-slim
RUN useradd --uid 10001 --create-home reasonloom \
    && install -d -o reasonloom -g reasonloom -m 700 /data
COPY --from=build /opt/reasonloom /opt/reasonloom
ENV PATH=/opt/reasonloom/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    REASONLOOM_HOME=/data
USER 10001
WORKDIR /data
VOLUME /data
# MCP over stdio: there is no endpoint that a health check could ask.
ENTRYPOINT ["reasonloom"]
CMD ["serve"]
