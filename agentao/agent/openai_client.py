"""Any OpenAI-compatible server through the ``openai`` package; no other file imports it.

The package is imported at first use: it takes half a second. It builds and sends the requests; the answer's bytes are
read by ``sse`` and ``stream``, because servers differ more than the package's own reader allows.
"""

from __future__ import annotations

import base64
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agentao.agent.messages import ChatEvent, ChatRequest, Notice
from agentao.agent.server import faults
from agentao.agent.server.address import Address, check_key, is_ip, is_loopback, parse_address
from agentao.agent.server.names import Resolve, look_up
from agentao.agent.server.network import Network, Proxy
from agentao.agent.server.reading import AnswerReader, Broken, Refused
from agentao.agent.server.wire import Adaptation, Dialect, body
from agentao.errors import (
    AuthFailed,
    BadResponse,
    ClientError,
    ConnectFailed,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    ResponseTimeout,
    ServerFailed,
)
from agentao.memory.models import Clock

if TYPE_CHECKING:
    import openai

CONNECT_TIMEOUT_S = 15.0
FIRST_TOKEN_TIMEOUT_S = 600.0
"""A local model may load for minutes and read a long prompt for more."""
IDLE_TIMEOUT_S = 120.0
LIST_TIMEOUT_S = 15.0
LOADING_WAIT_S = 3.0
"""The pause between questions to a server that is loading its model; the first-token limit bounds them together."""
RETRY_WAITS_S = (1.0, 3.0, 9.0)
"""The waits before the second, third and last try, where the server names none."""
CONNECT_RETRIES = 1
"""A server that cannot be reached is asked once more: it may be restarting."""

MAPPED: dict[str, type[ClientError]] = {
    "APIConnectionError": ConnectFailed,
    "APITimeoutError": ResponseTimeout,
    "APIStatusError": RequestRefused,
    "APIResponseValidationError": BadResponse,
    "APIError": ServerFailed,
    "AuthenticationError": AuthFailed,
    "OAuthError": AuthFailed,
    "SubjectTokenProviderError": AuthFailed,
    "PermissionDeniedError": AuthFailed,
    "BadRequestError": RequestRefused,
    "ConflictError": RequestRefused,
    "UnprocessableEntityError": RequestRefused,
    "NotFoundError": ModelNotFound,
    "RateLimitError": RateLimited,
    "InternalServerError": ServerFailed,
    "LengthFinishReasonError": BadResponse,
    "ContentFilterFinishReasonError": BadResponse,
    "InvalidWebhookSignatureError": BadResponse,
    "StreamAlreadyConsumed": BadResponse,
    "MutuallyExclusiveAuthError": RequestRefused,
    "APIRemovedInV1": RequestRefused,
    "MissingDependencyError": RequestRefused,
    "WebSocketConnectionClosedError": ServerFailed,
    "WebSocketQueueFullError": ServerFailed,
    "OpenAIError": RequestRefused,
}
"""Each exception class of the package and what becomes of it; refusals with a status are read more closely."""


_loaded = threading.Event()


def preload() -> None:
    """Import what the first request needs; a shell may call it in a thread while the user types."""
    import openai

    with openai.OpenAI(api_key="none", base_url="http://127.0.0.1", http_client=_http_client()) as unused:
        # The package imports its parts at first use: touching them is what takes the time.
        _ = unused.chat.completions.with_streaming_response, unused.models.with_raw_response
    _loaded.set()


def _load() -> None:
    """Preload in a thread of its own, and wait: Ctrl-C, which strikes the main thread, would leave half a package."""

    def load() -> None:
        with suppress(ImportError):  # whoever needs it will say so
            preload()

    if not _loaded.is_set():
        thread = threading.Thread(target=load, daemon=True)
        thread.start()
        thread.join()


def _http_client(proxy: str | None = None, verify: ssl.SSLContext | bool = False, **settings: Any) -> Any:
    """The package's HTTP client, which reads no environment here and follows no redirect (it would lose the body)."""
    import openai

    return openai.DefaultHttpxClient(proxy=proxy, verify=verify, trust_env=False, follow_redirects=False, **settings)


class OpenAIClient:
    """One server and one model at a time; what was learnt about a model stays for the session.

    Nothing is read from the environment: ``network`` carries the proxy variables as values. A wrong key or address is
    told by the first request, so that a shell with a wrong setting still starts.
    """

    def __init__(
        self,
        *,
        api_key: str = "",
        base_url: str = "",
        model: str = "",
        network: Network | None = None,
        first_token_timeout_s: float = FIRST_TOKEN_TIMEOUT_S,
        idle_timeout_s: float = IDLE_TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
        clock: Clock = lambda: datetime.now(UTC),
        resolve: Resolve = socket.getaddrinfo,
    ) -> None:
        # Functions, so that no dump of variables shows a secret.
        self._key: Callable[[], str] = lambda: api_key
        self._typed_address: Callable[[], str] = lambda: base_url
        self._model = model.strip()
        self._network = network or Network()
        self._first_token_timeout_s = first_token_timeout_s
        self._idle_timeout_s = idle_timeout_s
        self._sleep = sleep
        self._clock = clock
        self._resolve = resolve
        self._sdk: openai.OpenAI | None = None
        self._address: Address | None = None
        self._proxy: Proxy | None = None
        self._root = 0
        self._root_known = False
        self._redact = faults.Redactor((api_key.strip(),))
        self._dialects: dict[str, Dialect] = {}
        self._told: set[Adaptation] = set()

    def __repr__(self) -> str:
        return f"OpenAIClient(model={self._model!r}, url={self.url!r})"

    @property
    def model(self) -> str:
        """The name of the model in use; empty until a server's only model was found."""
        return self._model

    @property
    def url(self) -> str:
        """The base address in use, without secrets; empty when it is not usable."""
        try:
            address = self._address or parse_address(self._typed_address())
        except ConnectFailed:
            return ""
        return address.roots[self._root]

    @property
    def supports_tools(self) -> bool:
        """False once the server has refused tools for this model in this session."""
        return "no_tools" not in self._dialect(self._model).adaptations

    def use_model(self, name: str) -> None:
        """Send later requests to this model."""
        self._model = name.strip()

    def close(self) -> None:
        """Close the connections."""
        if self._sdk is not None:
            self._sdk.close()
            self._sdk = None

    # -- asking ------------------------------------------------------------------------------------------------------

    def stream(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """Yield deltas and notices, then one ``Completed``. What may have been received is never sent a second time.

        Raises:
            ClientError: no usable answer.
        """
        model = request.model or self._model
        try:
            sdk = self._connect()
            only = "" if model else self._only_model()
        except ClientError as error:
            error.answered = False  # the question itself was not sent
            raise
        if only:
            model = self._model = only
            yield Notice(f"No model was chosen; this server's only one is used: {model}")
        waits = list(RETRY_WAITS_S)
        reconnects = CONNECT_RETRIES
        loading_s = self._first_token_timeout_s
        while True:
            try:
                yield from self._attempt(sdk, request, model)
                return
            except (Refused, Broken) as caught:
                failure = caught
            if isinstance(failure, Broken):
                if not reconnects or not faults.may_pass(failure.cause):
                    raise self._transport_error(failure.cause, answered=failure.answered)
                reconnects -= 1
                pause_s = RETRY_WAITS_S[0]
                yield Notice(f"{self.url} does not answer; trying once more in {pause_s:.0f} s.")
                self._sleep(pause_s)
                continue
            notice = self._adapt(failure.refusal, request, model)
            if notice is None:
                notice = self._next_root(failure.refusal)
            if notice is None and faults.is_loading(failure.refusal) and loading_s > 0:
                if loading_s == self._first_token_timeout_s:
                    yield Notice(f"{self.url} is loading the model; waiting for it.")
                loading_s -= LOADING_WAIT_S
                self._sleep(LOADING_WAIT_S)
            elif notice is None:
                wait_s = faults.retry_after_s(failure.headers, self._clock())
                if not waits or not faults.may_be_sent_again(failure.refusal, wait_s):
                    raise self._error_for(failure.refusal, model, wait_s)
                pause_s = max(waits.pop(0), wait_s or 0.0)
                yield Notice(f"{self.url} is busy ({failure.refusal.status}); trying again in {pause_s:.0f} s.")
                self._sleep(pause_s)
            elif notice:
                yield Notice(notice)

    def list_models(self) -> list[str]:
        """The names of the models on offer, sorted.

        Raises:
            ClientError: the server cannot be asked.
        """
        sdk = self._connect()
        self._look_up()
        while True:
            try:
                with self._faults():
                    listing = sdk.with_options(timeout=LIST_TIMEOUT_S).models.with_raw_response
                    text = listing.list(extra_headers=self._extra_headers()).http_response.text
                self._root_known = True
                break
            except Refused as refused:
                refusal = refused.refusal
            except Broken as broken:
                raise self._transport_error(broken.cause, LIST_TIMEOUT_S) from None
            if self._next_root(refusal) is None:
                raise self._error_for(refusal, self._model, url=self.url + "/models")
        names = faults.model_names(text)
        if names is None:
            raise BadResponse(f"{self.url}/models gave no list of models. Check the address.")
        return names

    def _only_model(self) -> str:
        names = self.list_models()
        if len(names) == 1:
            return names[0]
        some = ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
        raise ModelNotFound(f"No model is chosen; set OPENAI_MODEL or use /model NAME. {self.url} has: {some or '-'}")

    # -- one attempt -------------------------------------------------------------------------------------------------

    def _attempt(self, sdk: openai.OpenAI, request: ChatRequest, model: str) -> Iterator[ChatEvent]:
        self._look_up()
        create: Any = sdk.chat.completions.with_streaming_response.create
        with ExitStack() as stack:
            with self._faults():
                made = body(request, model, self._dialect(model))
                # As extra_body: the package's own walk over typed messages takes more than a millisecond each.
                opened = create(
                    model=model, messages=[], stream=True, extra_body=made, extra_headers=self._extra_headers()
                )
                response = stack.enter_context(opened).http_response
            self._root_known = True
            answer = AnswerReader(response, self._http_faults(), url=self.url, idle_timeout_s=self._idle_timeout_s)
            try:
                yield from answer.events()
            except Refused as refused:
                if not refused.started:
                    raise
                raise self._error_for(refused.refusal, model) from None
            except BadResponse as bad:
                told = f"{self._endpoint()}: {bad}. Check the address, or ask again."
                raise self._redact(BadResponse(told)) from None
            if answer.reasoning_field:
                self._dialects[model] = Dialect(self._dialect(model).adaptations, answer.reasoning_field)

    # -- learning from refusals --------------------------------------------------------------------------------------

    def _dialect(self, model: str) -> Dialect:
        return self._dialects.get(model, Dialect())

    def _adapt(self, refusal: faults.Refusal, request: ChatRequest, model: str) -> str | None:
        """Learn what the refusal names: the line for the user, empty when said before; None: nothing to learn."""
        known = self._dialect(model)
        learnt = faults.adaptation_for(refusal, request, known.adaptations)
        if learnt is None:
            return None
        self._dialects[model] = Dialect(known.adaptations | {learnt}, known.reasoning_field)
        told = learnt in self._told
        self._told.add(learnt)
        return "" if told else faults.said(learnt)

    def _next_root(self, refusal: faults.Refusal) -> str | None:
        """Go on to the address's other form (with or without ``/v1``) when nothing is at this one."""
        address, sdk = self._address, self._sdk
        if self._root_known or not faults.is_path_unknown(refusal) or address is None or sdk is None:
            return None
        if self._root + 1 >= len(address.roots):
            self._root = 0
            sdk.base_url = address.roots[0]
            return None
        self._root += 1
        sdk.base_url = address.roots[self._root]
        return ""

    def _endpoint(self) -> str:
        return self.url + "/chat/completions"

    def _error_for(
        self, refusal: faults.Refusal, model: str, wait_s: float | None = None, url: str = ""
    ) -> ClientError:
        return self._redact(faults.error_for(refusal, url=url or self._endpoint(), model=model, wait_s=wait_s))

    def _transport_error(
        self, cause: BaseException, waited_s: float | None = None, *, answered: bool = False
    ) -> ClientError:
        waited_s = self._first_token_timeout_s if waited_s is None else waited_s
        error = faults.transport_error(cause, url=self.url, proxy=self._proxy, waited_s=waited_s)
        error.answered = answered
        return self._redact(error)

    # -- the package and its HTTP library ----------------------------------------------------------------------------

    def _connect(self) -> openai.OpenAI:
        """The package's client, made at first use.

        Raises:
            AuthFailed: the key cannot be sent.
            ConnectFailed: the address, the proxy or the certificates are not usable.
        """
        if self._sdk is not None:
            return self._sdk
        key = check_key(self._key())
        address = parse_address(self._typed_address())
        proxy = self._network.proxy_for(address)
        self._redact = faults.Redactor((key, address.password, *(v for _, v in address.query), *_secrets(proxy)))
        _load()
        import openai

        timeout = openai.Timeout(self._first_token_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S)
        try:
            # Without TLS no certificates are loaded, which takes longer than the rest together.
            verify = self._network.certificates() if address.scheme == "https" else False
            http = _http_client(proxy.url if proxy else None, verify, timeout=timeout)
        except ImportError:
            raise ConnectFailed(
                f"The variable {proxy.variable if proxy else 'ALL_PROXY'} names the SOCKS proxy "
                f"{proxy.shown if proxy else ''}, which needs the package socksio. Install it beside agentao, "
                "unset the variable, or name the server in NO_PROXY."
            ) from None
        self._sdk = openai.OpenAI(
            api_key=key or "none",
            base_url=address.roots[0],
            http_client=http,
            timeout=timeout,
            max_retries=0,
            default_query=dict(address.query),
        )
        self._address, self._proxy = address, proxy
        return self._sdk

    def _extra_headers(self) -> dict[str, Any]:
        """What differs from the package's own headers: a login from the address, or no key, for any other provider."""
        import openai

        left_out: Any = openai.Omit  # by its type, a call of it counts as untyped
        address, headers = self._address, {}
        if address is not None and not address.host.endswith(".openai.com"):
            headers = {"OpenAI-Organization": left_out(), "OpenAI-Project": left_out()}
        if check_key(self._key()):
            return headers
        if address is not None and address.user:
            login = f"{address.user}:{address.password}".encode()
            return {**headers, "Authorization": "Basic " + base64.b64encode(login).decode()}
        return {**headers, "Authorization": left_out()}

    def _look_up(self) -> None:
        """Find the server's or the proxy's name.

        Raises:
            ConnectFailed: it cannot be found.
        """
        place = self._proxy or self._address
        if place is None or is_ip(place.host) or is_loopback(place.host):
            return
        try:
            look_up(place.host, place.port, self._resolve)
        except OSError as error:
            raise self._transport_error(error) from None

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn what the package and its HTTP library raise before an answer into ``Refused`` or ``Broken``."""
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            refusal = faults.read_refusal(error.status_code, error.response.text)
            raise Refused(refusal, dict(error.response.headers)) from None
        except openai.APIConnectionError as error:
            raise Broken(error.__cause__ or error) from None
        except (openai.OpenAIError, UnicodeError) as error:
            kind = next((MAPPED[k.__name__] for k in type(error).__mro__ if k.__name__ in MAPPED), RequestRefused)
            raise self._redact(kind(f"The request to {self.url} failed: {faults.one_line(str(error))}")) from None
        except self._http_faults() as error:
            raise Broken(error) from None

    @staticmethod
    def _http_faults() -> tuple[type[Exception], ...]:
        """The base exceptions of the HTTP library that the package uses (httpx, or httpx2 since its version 3)."""
        import openai

        roots = (kind.__module__.partition(".")[0] for kind in openai.DefaultHttpxClient.__mro__)
        http: Any = sys.modules[next(root for root in roots if root.startswith("httpx"))]
        return (http.HTTPError, http.InvalidURL, http.StreamError)


def _secrets(proxy: Proxy | None) -> tuple[str, ...]:
    return proxy.secrets if proxy else ()
