"""Asking a model by pydantic-ai: one question, one chance to put wrong quotes right, and a name for every failure.

Invariant: an error tells its kind and what to do, and never what the endpoint wrote: that may hold a key or the transcript.
No trace of a run is kept or sent anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal

from graphmem.errors import ExtractionFailed
from graphmem.extractors.llm import Check, Reply
from graphmem.extractors.llm_answer import Answer, bounded
from graphmem.extractors.llm_prompt import Passage, again
from graphmem.model import Cost

if TYPE_CHECKING:
    from pydantic_ai.models import Model

Form = Literal["tool", "native", "prompted"]
TIMEOUT = 120.0
TOKENS = 8000  # of one answer

# By the endpoint's status: reason, what it means, and what to do.
_STATUS: dict[int, tuple[str, str, str]] = {
    401: ("unauthorized", "does not accept the key", "set the right one in {key}"),
    403: ("unauthorized", "does not let this key use the model", "set another one in {key}, or name another --model"),
    404: ("model_unknown", "does not know the model", "check --model and --base-url"),
    429: ("rate_limited", "takes no more requests now", "wait, or raise the limit there"),
}


class AgentProposer:
    """Asks a model and has its answer checked.

    Args:
        connect: gives the model for the time of one question; its connections are closed afterwards.
        where: the model and its endpoint in words, for messages.
        key: the environment variable that holds the key, for messages.
        form: how the endpoint is asked for an answer of a given form.
        timeout: seconds for one question with its repetition.
        tokens: that one answer may have.
        items: that one answer may have; with a limit, also the turns to choose from stand in its form.  For small models,
            which do not come to an end by themselves.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractAsyncContextManager[Model]],
        *,
        where: str,
        key: str = "GRAPHMEM_API_KEY",
        form: Form = "tool",
        timeout: float = TIMEOUT,
        tokens: int = TOKENS,
        items: int | None = None,
    ) -> None:
        self._connect, self._where, self._key = connect, where, key
        self._form, self._timeout, self._tokens = form, timeout, tokens
        self._items = items

    def ask(self, passage: Passage, check: Check) -> Reply:
        """The answers to a passage; see `Proposer`."""
        from pydantic_ai.exceptions import (
            AgentRunError,
            ContentFilterError,
            ModelConnectionError,
            ModelHTTPError,
            ModelTimeoutError,
            OutputTokenLimitExceeded,
            UserError,
        )

        try:
            return _run(asyncio.wait_for(self._asked(passage, check), self._timeout))
        except (TimeoutError, ModelTimeoutError) as error:
            raise self._failed("timeout", f"did not answer within {self._timeout:g} seconds", "try again later") from error
        except ModelHTTPError as error:
            raise self._refused(error.status_code) from error
        except ModelConnectionError as error:
            raise self._failed("unreachable", "cannot be reached", "start it, or check --base-url") from error
        except ContentFilterError as error:
            raise self._failed("refused", "refuses to read this session", _RULES, stops=False) from error
        except UserError as error:
            raise self._failed("request_rejected", f"cannot be asked by {self._form!r}", "name another --answer") from error
        except OutputTokenLimitExceeded as error:
            problem = f"did not come to an end within {self._tokens:,} tokens"
            raise self._failed("answer_too_long", problem, f"name another --model, or {_RULES}", stops=False) from error
        except (AgentRunError, ValueError) as error:
            problem = "gave no usable answer"
            raise self._failed("malformed_answer", problem, f"name a more able model, or {_RULES}", stops=False) from error

    async def _asked(self, passage: Passage, check: Check) -> Reply:
        from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, ToolOutput
        from pydantic_ai.exceptions import AgentRunError
        from pydantic_ai.settings import ModelSettings
        from pydantic_ai.usage import RunUsage, UsageLimits

        form = Answer if self._items is None else bounded(self._items, passage.turns)
        output: Any = {
            "tool": ToolOutput(form, name="answer", description="The items that the turns hold."),
            "native": NativeOutput(form, name="answer"),
            "prompted": PromptedOutput(form, name="answer"),
        }[self._form]
        answers: list[Answer] = []
        usage = RunUsage()
        async with self._connect() as model:
            agent: Agent[None, Answer] = Agent(
                model,
                output_type=output,
                instructions=passage.instructions,
                retries={"tools": 0, "output": 1},
                model_settings=ModelSettings(temperature=0.0, max_tokens=self._tokens, timeout=self._timeout),
            )
            # The host may have switched tracing on for all agents; a transcript does not go there.
            agent.instrument = False

            @agent.output_validator
            def checked(context: RunContext[None], answer: Answer) -> Answer:
                answers.append(answer)
                wrong = check(answer)
                if wrong and context.retry < context.max_retries:
                    raise ModelRetry(again(wrong))
                return answer

            try:
                await agent.run(passage.text, usage=usage, usage_limits=UsageLimits(request_limit=3))
            except AgentRunError:
                # The second answer may fail to come where the first was usable: what was found in that one stands.
                if not answers:
                    raise
        return Reply(
            tuple(answers),
            Cost(requests=usage.requests, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens),
        )

    def _refused(self, status: int) -> ExtractionFailed:
        if status in _STATUS:
            reason, problem, remedy = _STATUS[status]
            return self._failed(reason, f"{problem} (HTTP {status})", remedy.format(key=self._key))
        if status >= 500:
            return self._failed("server_error", f"fails (HTTP {status})", "try again later")
        return self._failed("request_rejected", f"rejects the request (HTTP {status})", "name another --model or --answer")

    def _failed(self, reason: str, problem: str, remedy: str, *, stops: bool = True) -> ExtractionFailed:
        return ExtractionFailed(reason, f"{self._where} {problem}: {remedy}", stops=stops)


_RULES = "extract it by rules (`graphmem extract --extractor rules`)"


def _run(question: Coroutine[Any, Any, Reply]) -> Reply:
    """Run to the end, also where the caller's thread has a running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(question)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, question).result()
