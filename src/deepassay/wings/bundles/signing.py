"""Signatures by SSH keys, made and checked by OpenSSH's own `ssh-keygen -Y`."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from deepassay.errors import BadSetting

NAMESPACE: Final = "bundle@deepassay"
"""What a signature is for: one made for another purpose does not pass."""


@dataclass(frozen=True)
class Signer:
    """Who signed. key: the fingerprint. name: as the file of known signers has it, if it does."""

    key: str
    name: str | None = None

    def __str__(self) -> str:
        return f"{self.name} ({self.key})" if self.name else self.key


def signed(text: bytes, key: Path) -> bytes:
    """The signature of a text by a private key, or by the agent that holds it.

    Raises BadSetting where OpenSSH is not there, or cannot sign with this key.
    """
    if not key.is_file():
        raise BadSetting(f"--sign {key}: there is no such file.", "Name a key of SSH.")
    done = _keygen("sign", "-f", str(key), "-n", NAMESPACE, text=text)
    if done.returncode:
        raise BadSetting(
            f"{key} cannot sign: {_said(done)}.",
            "Take a private key of SSH; one with a passphrase is unlocked with ssh-add, and then "
            "its .pub file is named.",
        )
    return done.stdout


def signer_of(text: bytes, signature: bytes, known: Path | None) -> Signer | None:
    """Who signed a text; None if nobody did, or it was changed since.

    known: a file of signers, as ssh-keygen's manual has it under ALLOWED SIGNERS; without one, a
    key has no name. Raises BadSetting where OpenSSH is not there, or the file cannot be read.
    """
    if known is not None and not known.is_file():
        raise BadSetting(f"--signers {known}: there is no such file.", "See `man ssh-keygen`.")
    with TemporaryDirectory(prefix="deepassay-") as scratch:
        file = Path(scratch) / "signature"
        file.write_bytes(signature)
        whole = ("-n", NAMESPACE, "-s", str(file))
        done = _keygen("check-novalidate", *whole, text=text)
        if done.returncode or not (key := re.search(rb"SHA256:\S+", done.stdout)):
            return None
        name = None
        if known is not None:
            names = _keygen("find-principals", "-s", str(file), "-f", str(known)).stdout.split()
            if names:
                name = names[0].decode(errors="replace")
                held = _keygen("verify", *whole, "-f", str(known), "-I", name, text=text)
                name = None if held.returncode else name
        return Signer(key[0].decode(), name)


def _keygen(what: str, *words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise BadSetting(
            "Signatures are made and checked by ssh-keygen, which is not there.",
            "Install OpenSSH's client, or leave signatures out.",
        )
    # A session of its own has no terminal, so that nobody is asked for a passphrase and waits.
    return subprocess.run(
        [program, "-Y", what, *words],
        input=text,
        capture_output=True,
        check=False,
        start_new_session=True,
    )


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1].strip(".") if lines else f"ssh-keygen ended with {done.returncode}"
