"""`reasonloom eval run NAME`: builds one of the packaged suites and returns its work."""

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.evals.request import EvalRequest, EvalWork, parse_limits, parse_pairs
from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.system import System
from reasonloom.evals.simulated.reader import SimulatedReader
from reasonloom.evals.simulated.reading import Reader
from reasonloom.evals.simulated.reason_tasks import load_tasks
from reasonloom.evals.suites.history import suite as history_suite
from reasonloom.evals.suites.memory import locomo_history, retrieval
from reasonloom.evals.suites.memory.datasets import ALL, RETRIEVAL_SUITES, Source
from reasonloom.evals.suites.packaged import Packaged, run_packaged, split_suite
from reasonloom.evals.suites.reasoning.orchestration import suite as orchestration_suite
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices, load_orchestration
from reasonloom.evals.suites.reasoning.reason import suite as reason_suite
from reasonloom.llm.interfaces import LanguageModel


def recall(request: EvalRequest) -> EvalWork:
    """Return the work of a suite of recall, or of all its sets."""
    options = request.options
    source, epochs = Source(request.data, options.get("half", "all")), options.get("epochs", 1)
    if request.name == ALL.name:
        return _work(request, retrieval.all_sets(source, epochs))
    suite = retrieval.packaged(
        RETRIEVAL_SUITES[request.name], source, epochs, ablate="ablate" in options
    )
    return _work(request, suite)


def orchestration(request: EvalRequest) -> EvalWork:
    """Return the work of an eval of orchestration."""
    options = request.options
    settings = parse_pairs(options.get("set", ()), "set")
    choices = Choices(request.data, options.get("items"), settings)
    suite = orchestration_suite.packaged(
        load_orchestration(request.name), choices, options.get("seeds", 10), options.get("row", ())
    )
    return _work(request, suite)


def split(request: EvalRequest) -> EvalWork:
    """Return the work of a suite with halves, on its own data or the caller's."""
    half = request.options.get("half", "dev")
    return _work(request, split_suite(request.name, half, request.data))


def reason(request: EvalRequest) -> EvalWork:
    """Return the work of the reasoning bench, with the simulated reader unless a model is named."""
    options = request.options
    settings = parse_pairs(options.get("set", ()), "set")
    reason_suite.require_reader(options.get("llm"), settings)
    suite = reason_suite.packaged(
        options.get("half", "dev"),
        request.data,
        only=options.get("row", ()),
        items=options.get("items"),
        epochs=options.get("epochs", 1),
        settings=settings,
        name=request.name,
    )
    if options.get("llm") in (None, SimulatedReader.name):
        tasks = load_tasks("all", request.data) if request.data else ()
        return _work(request, suite, SimulatedReader(Reader.of(settings), tasks=tasks))
    return _work(request, suite)


def history(request: EvalRequest) -> EvalWork:
    """Return the work of the questions about past conversations."""
    options = request.options
    suite = history_suite.packaged(
        options.get("half", "dev"), request.data, options.get("asked", "other")
    )
    return _work(request, suite)


def conversations(request: EvalRequest) -> EvalWork:
    """Return the work of LoCoMo's questions about past conversations."""
    return _work(request, locomo_history.packaged(request.data))


def _work(request: EvalRequest, suite: Packaged, llm: LanguageModel | None = None) -> EvalWork:
    options = request.options
    prompts = dict(parse_versions(options.get("prompt", ())))
    if len(prompts) < len(options.get("prompt", ())):
        raise InvalidArgument(
            "--prompt: name each once here, and compare two runs by `eval compare`", field="prompt"
        )
    system, purse = System(prompts=prompts, llm=llm or options.get("llm")), parse_limits(options)
    seed, at_once = options.get("seed", 0), options.get("parallel", 1)
    return lambda report: run_packaged(
        suite, request.log, system=system, purse=purse, seed=seed, at_once=at_once, tell=report
    )
