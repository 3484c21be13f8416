"""Every exception this package raises on purpose, and the exit code of each.

    AgentaoError                 1  error          the root; never raised itself
    ├── UsageError               2  usage          the words of a command, an option or a config file are wrong
    ├── GuardError               1  refused        the memory guard refuses a key, a value or a tag
    │   ├── SensitiveMemoryError 1  secret         ... because it holds a secret; the message never repeats it
    │   └── ReviewConflict       1  conflict       ... because a live memory has this key and another value
    ├── NotFound                 1  not_found      nothing matches what was named
    ├── StoreError               3  store          a database cannot be opened, read or written
    │   ├── StoreBusy            3  store_busy     another program held the write lock for too long
    │   ├── StoreReadOnly        3  store_readonly the file cannot be written
    │   ├── StoreFull            3  store_full     the disk is full
    │   ├── StoreDamaged         3  store_damaged  the file is not a healthy database
    │   └── StoreTooNew          3  store_too_new  the file was written by a newer program
    └── ClientError              4  model          the language model's server gave no usable answer
        ├── ConnectFailed        4  connect        nothing was sent: refused, DNS, TLS, proxy
        ├── AuthFailed           4  auth           401, 403, or a key that no header can carry
        ├── ModelNotFound        4  model_missing  404, or the server does not know the model
        ├── RateLimited          4  rate_limit     429 after the retries
        ├── ContextTooLong       4  too_long       the request does not fit the model's context window
        ├── RequestRefused       4  bad_request    any other 4xx
        ├── ServerFailed         4  server         5xx, or an error object inside a stream
        ├── BadResponse          4  bad_response   the answer is not what the protocol says (HTML, broken JSON)
        └── ResponseTimeout      4  timeout        no byte came for the allowed time

A message says what happened, to what, and what to do next, in one line, and holds no secret.
"""

from __future__ import annotations

from typing import ClassVar


class AgentaoError(Exception):
    """The root of all errors that a user may see."""

    exit_code: ClassVar[int] = 1
    kind: ClassVar[str] = "error"


class UsageError(AgentaoError):
    """The words of a command, an option or a config file are wrong."""

    exit_code = 2
    kind = "usage"


class GuardError(AgentaoError):
    """The memory guard refuses a key, a value or a tag."""

    kind = "refused"


class SensitiveMemoryError(GuardError):
    """The text holds a secret; the message names its kind and never repeats it."""

    kind = "secret"


class ReviewConflict(GuardError):
    """A live memory has the key of a review item and another value; the message shows both."""

    kind = "conflict"


class NotFound(AgentaoError):
    """Nothing matches what was named."""

    kind = "not_found"


class StoreError(AgentaoError):
    """A database cannot be opened, read or written."""

    exit_code = 3
    kind = "store"


class StoreBusy(StoreError):
    """Another program held the write lock for too long; nothing was written."""

    kind = "store_busy"


class StoreReadOnly(StoreError):
    """The file cannot be written."""

    kind = "store_readonly"


class StoreFull(StoreError):
    """The disk is full; nothing was written."""

    kind = "store_full"


class StoreDamaged(StoreError):
    """The file is not a healthy database."""

    kind = "store_damaged"


class StoreTooNew(StoreError):
    """The file was written by a newer program."""

    kind = "store_too_new"


class ClientError(AgentaoError):
    """The language model's server gave no usable answer.

    ``answered`` is False when nothing at all came back, so that the question counts as not sent.
    """

    exit_code = 4
    kind = "model"
    answered = True


class ConnectFailed(ClientError):
    """Nothing was sent: connection refused, DNS, TLS or a proxy."""

    kind = "connect"
    answered = False


class AuthFailed(ClientError):
    """The server refused the key, or no header can carry it."""

    kind = "auth"


class ModelNotFound(ClientError):
    """The server does not know the model, or nothing answers at this address."""

    kind = "model_missing"


class RateLimited(ClientError):
    """The server keeps asking to wait."""

    kind = "rate_limit"


class ContextTooLong(ClientError):
    """The request does not fit the model's context window."""

    kind = "too_long"


class RequestRefused(ClientError):
    """The server refuses the request as it is."""

    kind = "bad_request"


class ServerFailed(ClientError):
    """The server failed, before or within its answer."""

    kind = "server"


class BadResponse(ClientError):
    """The answer is not what the protocol says."""

    kind = "bad_response"


class ResponseTimeout(ClientError):
    """No byte came for the allowed time."""

    kind = "timeout"
