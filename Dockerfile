# syntax=docker/dockerfile:1
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/reasonloom
ENV PATH=/opt/reasonloom/bin:$PATH
COPY requirements.lock pyproject.toml packaging/audit.lock ./
# Older versions of pip take no hashes in constraints.
RUN sed -n '/^pip==/,/# via/p' audit.lock > pip.lock \
    && pip install --no-cache-dir --require-hashes -r pip.lock
# The lock also names what tests need: it holds versions and hashes to what it says, and installs nothing.
RUN python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
      extras = [project["optional-dependencies"][name] for name in ("encryption", "otel", "studio", "workers")]; \
      print(*project["dependencies"], *sum(extras, []), sep="\n")' > needed.txt \
    && pip install --no-cache-dir --require-hashes --constraint requirements.lock --requirement needed.txt \
    && pip install --no-cache-dir --require-hashes --constraint requirements.lock --target /hatch hatchling
COPY README.md LICENSE ./
COPY reasonloom ./reasonloom
RUN PYTHONPATH=/hatch pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
RUN useradd --uid 10001 --create-home reasonloom \
    && install -d -o reasonloom -g reasonloom -m 700 /data /secrets
COPY --from=build /opt/reasonloom /opt/reasonloom
COPY packaging/healthcheck.py /opt/healthcheck.py
ENV PATH=/opt/reasonloom/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    REASONLOOM_HOME=/data
USER 10001
WORKDIR /data
VOLUME /data
HEALTHCHECK --interval=15s --timeout=6s --start-period=60s --start-interval=2s \
    CMD ["python", "/opt/healthcheck.py"]
ENTRYPOINT ["reasonloom"]
CMD ["serve"]
