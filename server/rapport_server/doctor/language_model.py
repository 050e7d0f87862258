"""The language model's endpoint: whether it answers. No text is sent."""

from rapport_server.config import Config
from rapport_server.doctor.report import Report
from rapport_server.errors import LlmFailed

TIMEOUT_S = 5.0
AREA = "llm"


async def check_language_model(config: Config, report: Report) -> None:
    """Ask for its list of models; a server works without an endpoint, so nothing here has to be repaired."""
    if config.llm_base_url is None or config.llm_model is None:
        report.ok(AREA, "none configured: no text leaves the machine")
        return
    # Imported here since openai takes a second or two.
    from rapport_server.llm import Endpoint

    endpoint = Endpoint(
        config.llm_base_url,
        config.llm_model,
        config.llm_api_key,
        timeout_s=TIMEOUT_S,
        reply_tokens_max=1,
        concurrency_max=1,
    )
    try:
        await endpoint.probe()
    except LlmFailed as error:
        report.warn(
            AREA,
            error.message,
            "check --llm-base-url (RAPPORT_LLM_BASE_URL) and --llm-api-key (RAPPORT_LLM_API_KEY); replies fail until it answers",
        )
    else:
        report.ok(AREA, f"the endpoint answers; {config.llm_model} is asked for")
    finally:
        await endpoint.close()
