"""Encrypts and decrypts backups with age, as streams: their clear text is never on disk."""

import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from reasonloom.errors import InvalidArgument, SettingMistake

AGE_HEADER = b"age-encryption.org/v1\n"
WRONG_KEY = "not encrypted for the key in --identity; nothing is changed"
DAMAGED = "cut short or damaged; nothing is changed"
RECIPIENT = "--encrypt-to"
IDENTITY = "--identity"
RECIPIENT_FORMS = (
    "must be an age recipient (age1..., the public key that `age-keygen` prints) or an SSH public "
    "key (ssh-ed25519 AAAA...)"
)
IDENTITY_FORMS = (
    "must be a file that `age-keygen` has written, with a line AGE-SECRET-KEY-1..., or an SSH "
    "private key without a passphrase"
)


def _pyrage() -> Any:
    """Return the library.

    Raises:
        SettingMistake: the extra is not installed.
    """
    try:
        import pyrage
    except ImportError:
        missing = "encrypted backups need an extra: pip install 'reasonloom[encryption]'"
        raise SettingMistake(missing, field="encryption") from None
    return pyrage


def read_recipients(given: Sequence[str]) -> list[Any]:
    """Return those who can decrypt a backup, by their public keys.

    Raises:
        InvalidArgument: one is not a public key.
    """
    age = _pyrage()
    found = []
    for text in given:
        kind = age.ssh if text.startswith("ssh-") else age.x25519
        try:
            found.append(kind.Recipient.from_str(text.strip()))
        except age.RecipientError:
            raise InvalidArgument(f"{RECIPIENT}: {RECIPIENT_FORMS}", field=RECIPIENT) from None
    return found


def read_identities(path: Path) -> list[Any]:
    """Return the private keys in a file.

    Raises:
        InvalidArgument: it cannot be read, or has no private key.
    """
    age = _pyrage()
    try:
        data = path.read_bytes()
        text = data.decode()
    except (OSError, UnicodeDecodeError):
        fault = f"{IDENTITY}: {path.name} cannot be read; {IDENTITY_FORMS}"
        raise InvalidArgument(fault, field=IDENTITY) from None
    try:
        if "PRIVATE KEY-----" in text:
            return [age.ssh.Identity.from_buffer(data)]
        lines = [line.strip() for line in text.splitlines()]
        found = [age.x25519.Identity.from_str(line) for line in lines if line and line[0] != "#"]
    except age.IdentityError:
        found = []
    if not found:
        raise InvalidArgument(f"{IDENTITY}: {IDENTITY_FORMS}", field=IDENTITY)
    return found


@contextmanager
def encrypted(file: BinaryIO, recipients: Sequence[Any]) -> Iterator[BinaryIO]:
    """Yield a file whose bytes are encrypted into `file`; OSError if that cannot be written."""
    age = _pyrage()
    reading, writing = os.pipe()

    def encrypt() -> None:
        with os.fdopen(reading, "rb") as source:  # if it fails, the writer gets a broken pipe
            try:
                age.encrypt_io(source, file, list(recipients))
            except age.EncryptError as error:
                raise OSError(str(error)) from None

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(encrypt)
        with os.fdopen(writing, "wb") as sink:
            yield sink
        done.result()


class DecryptedFile(io.BufferedIOBase):
    """An encrypted backup, read as clear text from its beginning or from a later byte.

    Each `seek` decrypts anew, in a thread that a closed pipe ends.
    """

    def __init__(self, file: BinaryIO, name: str, identities: Sequence[Any]) -> None:
        self._file = file
        self._name = name
        self._identities = list(identities)
        self._pool = ThreadPoolExecutor(1)
        self._pipe: BinaryIO | None = None
        self._done: Future[None] | None = None
        self._place = 0

    def fileno(self) -> int:
        """Return the descriptor of the encrypted file."""
        return self._file.fileno()

    def tell(self) -> int:
        """Return the number of bytes read."""
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Start again, `offset` bytes after the beginning."""
        self._stop()
        self._file.seek(0)
        reading, writing = os.pipe()
        self._pipe, self._place = os.fdopen(reading, "rb"), 0
        self._done = self._pool.submit(self._decrypt, os.fdopen(writing, "wb"))
        self.read(offset)
        return offset

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes.

        Raises:
            InvalidArgument: no identity opens the file, or it is truncated or damaged.
        """
        if self._pipe is None or self._done is None:
            self.seek(0)
        assert self._pipe and self._done  # noqa: S101 - `seek` has set both
        data = self._pipe.read(size if size is not None else -1)
        if not data and size:
            self._done.result()
        self._place += len(data)
        return data

    def close(self) -> None:
        """End the decryption and close the file."""
        self._stop()
        self._pool.shutdown()
        self._file.close()
        super().close()

    def _stop(self) -> None:
        if self._pipe and self._done:
            self._pipe.close()
            with suppress(OSError, InvalidArgument):
                self._done.result()
        self._pipe = self._done = None

    def _decrypt(self, sink: BinaryIO) -> None:
        age = _pyrage()
        with suppress(BrokenPipeError), sink:
            try:
                age.decrypt_io(self._file, sink, self._identities)
            except BrokenPipeError:
                raise
            except (age.DecryptError, OSError) as error:
                wrong_key = "No matching keys" in str(error)
                fault = WRONG_KEY if wrong_key else DAMAGED
                raise InvalidArgument(f"{self._name}: {fault}", field="file") from None
