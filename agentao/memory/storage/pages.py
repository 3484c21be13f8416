"""The rows in a database file whose tree is broken: every table leaf page is read by itself.

Source: the SQLite file format, https://www.sqlite.org/fileformat2.html (sections 1.3, 1.5, 1.6 and 2.1).
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from agentao.memory.storage import files

HEADER_BYTES = 100
TABLE_LEAF = 0x0D
_SIZES = (4_096, 512, 1_024, 2_048, 8_192, 16_384, 32_768, 65_536)
PAYLOAD_MAX_BYTES = 2**20
"""A longer row is none of ours."""

Value = str | int | float | bytes | None


def page_bytes(path: Path) -> int:
    """The page size that the log or the header states, else the one whose page borders look like pages."""
    with contextlib.suppress(OSError), files.side(path, "-wal").open("rb") as log:
        magic, _, stated = struct.unpack(">III", log.read(12).ljust(12, b"\x00"))
        if magic in (0x377F0682, 0x377F0683) and stated in _SIZES:
            return int(stated)
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
        size = path.stat().st_size
        if header.startswith(files.MAGIC):
            stated = int.from_bytes(header[16:18], "big")
            stated = 65_536 if stated == 1 else stated
            if stated in _SIZES:
                return stated
        best, best_share = 4_096, 0.0
        for candidate in _SIZES:
            starts = range(candidate, min(size, candidate * 400), candidate)
            hits = sum(_first_byte(file, start) in (0x02, 0x05, 0x0A, TABLE_LEAF) for start in starts)
            share = hits / len(starts) if starts else 0.0
            if share > best_share:
                best, best_share = candidate, share
    return best


def _first_byte(file: BinaryIO, offset: int) -> int:
    file.seek(offset)
    return (file.read(1) or b"\x00")[0]


def mend_header(path: Path) -> None:
    """Give the file a header, and an empty schema where there is none, so that SQLite opens it (and reads its log)."""
    size = page_bytes(path)
    with path.open("r+b") as file:
        page = bytearray(file.read(size).ljust(size, b"\x00"))
        pages = max(1, path.stat().st_size // size)
        page[:HEADER_BYTES] = struct.pack(
            ">16sHBBBBBBIIIIIIIIIIII20sII",
            files.MAGIC, 1 if size == 65_536 else size, 2, 2, 0, 64, 32, 32, 1, pages, 0, 0, 1, 4, 0, 0, 1, 0, 0, 0,
            b"", 1, 3_040_000,
        )  # fmt: skip
        if page[HEADER_BYTES] not in (0x05, TABLE_LEAF):
            page[HEADER_BYTES:] = struct.pack(">BHHHB", TABLE_LEAF, 0, 0, size % 65_536, 0).ljust(
                size - HEADER_BYTES, b"\x00"
            )
        file.seek(0)
        file.write(page)


def leaf_rows(path: Path) -> Iterator[tuple[int, list[Value]]]:
    """Row id and values of every row on a table leaf page that can be read, in the order of the pages."""
    size = page_bytes(path)
    with path.open("rb") as file:
        reserved = file.read(21)[20:21]
        usable = size - (reserved[0] if reserved else 0)

        def read(number: int) -> bytes:
            file.seek((number - 1) * size)
            return file.read(size)

        for number in range(1, path.stat().st_size // size + 1):
            page = read(number)
            start = HEADER_BYTES if number == 1 else 0
            if len(page) < size or page[start] != TABLE_LEAF:
                continue
            count = int.from_bytes(page[start + 3 : start + 5], "big")
            for cell in range(min(count, size // 4)):
                at = start + 8 + 2 * cell
                try:
                    yield _cell(page, int.from_bytes(page[at : at + 2], "big"), usable, read)
                except (IndexError, ValueError, struct.error):
                    continue


def _cell(page: bytes, at: int, usable: int, read: Callable[[int], bytes]) -> tuple[int, list[Value]]:
    length, at = _varint(page, at)
    row_id, at = _varint(page, at)
    if not 0 < length <= PAYLOAD_MAX_BYTES:
        raise ValueError(length)
    local = length
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= usable - 35 else least
    payload = bytearray(page[at : at + local])
    if length > local:
        follow = int.from_bytes(page[at + local : at + local + 4], "big")
        while follow and len(payload) < length:
            more = read(follow)
            if not more:
                break
            payload += more[4:usable]
            follow = int.from_bytes(more[:4], "big")
    if len(payload) < length:
        raise ValueError(length)
    return row_id, list(_values(bytes(payload[:length])))


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(9):
        byte = data[at + step]
        if step == 8:
            return (value << 8) | byte, at + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, at + step + 1
    raise ValueError(at)


_INT_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _values(payload: bytes) -> Iterator[Value]:
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    at = end
    for kind in kinds:
        if kind == 0:
            yield None
        elif kind in _INT_BYTES:
            yield int.from_bytes(payload[at : at + _INT_BYTES[kind]], "big", signed=True)
            at += _INT_BYTES[kind]
        elif kind == 7:
            yield float(struct.unpack(">d", payload[at : at + 8])[0])
            at += 8
        elif kind in (8, 9):
            yield kind - 8
        elif kind >= 12:
            size = (kind - 12) // 2
            if at + size > len(payload):
                raise ValueError(kind)
            piece = payload[at : at + size]
            yield piece.decode("utf-8", "replace") if kind % 2 else piece
            at += size
        else:
            raise ValueError(kind)
