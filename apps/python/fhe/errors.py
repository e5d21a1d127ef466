# SPDX-License-Identifier: Apache-2.0
"""What the library raises: a class for each of its codes, all of them below Error."""


class Error(Exception):
    """What cannot be done, why, and what to do about it. `code` is the code of the library.

    No message holds a key, a plain bit or another secret.
    """

    code = ""


class InvalidArgument(Error, ValueError):
    """A value is outside of its range."""

    code = "invalid_argument"


class InvalidParameters(Error):
    """A parameter group fails one of its checks."""

    code = "invalid_parameters"


class UnknownName(Error):
    """There is no parameter group, backend, scheme or operation of this name."""

    code = "unknown_name"


class NoiseExceeded(Error):
    """There is more noise than is allowed."""

    code = "noise_exceeded"


class WrongKey(Error):
    """Objects of different keys or parameter groups were used together, or an object was given where one of another
    kind or family is taken."""

    code = "wrong_key"


class MalformedFile(Error):
    """A file, or bytes, are truncated, altered or of another version."""

    code = "malformed_file"


class InputOutputError(Error):
    """The system refused to read or write."""

    code = "io"


class Unsupported(Error):
    """A valid request that this build, machine or object cannot serve."""

    code = "unsupported"


class Stopped(Error):
    """The call was stopped."""

    code = "stopped"


class RandomnessError(Error):
    """The random generator failed; nothing was made."""

    code = "randomness"


class OutOfMemory(Error, MemoryError):
    """The system gave no more memory; the operation had no effect."""

    code = "out_of_memory"


class WrongResult(Error):
    """A result failed its own check: a faulty backend, device or memory, or an altered public key."""

    code = "wrong_result"


_classes = {cls.code: cls for cls in Error.__subclasses__()}


def error_of(code: str, message: str) -> Error:
    """The exception for an error of the library."""
    return _classes[code](message)
