"""A process that reads files nobody would write, as source: `source_files.py SUFFIX SEED COUNT`.

By itself, since a grammar that fails ends its process. Before each file it writes which one it is;
the same words make the same files.
"""

import random
import sys
import time
from pathlib import Path

from devloop_tools.domain.hints.code_outline import outline_of
from devloop_tools.domain.source.files import MAX_FILE_BYTES, SourceFile
from devloop_tools.domain.source.unit_source import read_source

LIMIT_S = 20.0
TESTS = Path(__file__).parents[1]
WRITTEN = {
    ".tsx": b"""import React, { type FC } from "react";
interface Props<T extends object = {}> { \xe6\xa0\x87\xe9\xa2\x98: string; items?: readonly T[] }
export const \xe5\x88\x97\xe8\xa1\xa8: FC<Props> = ({ items = [], ...rest }) => (
  <><h1 {...rest} onClick={() => `a${items.length}`}>{/* c */}no &amp; \xe6\xb2\xa1\xe6\x9c\x89</h1>
  {items.map((item, i) => <A.B<string> key={i} v={item!} data-x='1'/>)}</>);
""",
}
PIECES = [
    *(b"( ) { } [ ] < > ` ${ ' \" /* */ // # \\ ; => </ /> <!-- --> ?. @ : && ?? ** ... = , a 1"
      b" 0x 1n f' ''' \"\"\" rb' async lambda as match if for class def return export import"
      b" from type"
      b" <T> &lt; {{ }} /re/g abstract $ _ ~ ^ % !").split(),
    b"\n", b"\r", b"\t", b" ", b"match x:\n", b"-->", b"\xef\xbb\xbf", "中".encode(), b"\xff",
    b"\0", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "😀".encode(), b"\xe2\x80\xa8", b"\xc2\xa0",
    b"\xcc\x81",
]  # fmt: skip
PAIRS = [
    (b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<a>", b"</a>"), (b"`${", b"}`"), (b"f(", b")"),
    (b"f'{", b"}'"), (b"x<", b">"), (b"()=>{", b"}"), (b"lambda: ", b""), (b"a?b:", b""),
    (b"!", b""), (b"a.", b""), (b"a=", b""), (b"f", b"()"), (b"if x:\n ", b""), (b"-->", b""),
]  # fmt: skip


def made(choose: random.Random, known: list[bytes]) -> bytes:
    """One file: a known one damaged, a mixture, a repetition, nested without end, or any bytes."""
    size = choose.choice([100, 3_000, 40_000])
    match choose.randrange(8):
        case 0:
            return choose.randbytes(size)
        case 1:
            return choose.choice(PIECES) * size
        case 2:
            return b"".join(choose.choices(PIECES, k=size))
        case 3:
            letters = [chr(choose.randrange(0x4E00, 0x9FFF)) for _ in range(50)]
            return "".join(choose.choices([*letters, *"(){}[]<>'\"`\n =:,.;/"], k=size)).encode()
        case 4:
            before, behind = choose.choice(PAIRS)
            return before * size + b"x" + behind * choose.choice([0, size])
        case _:
            return damaged(choose, choose.choice(known))


def damaged(choose: random.Random, content: bytes) -> bytes:
    text = bytearray(content)
    for _ in range(choose.choice([1, 10, 200])):
        at = choose.randrange(len(text) + 1)
        match choose.randrange(4):
            case 0:
                del text[at : at + choose.randrange(30)]
            case 1:
                text[at:at] = choose.choice(PIECES)
            case 2:
                text[at : at + 1] = choose.randbytes(1)
            case _:
                start = choose.randrange(len(text) + 1)
                text[at:at] = text[start : start + choose.randrange(200)]
    return bytes(text)


def main(suffix: str, seed: str, count: int) -> None:
    """Read `count` files. Raises AssertionError where one takes too long."""
    folders = [TESTS / "corpora", TESTS / "fixtures"]
    found = sorted(path for folder in folders for path in folder.rglob(f"*{suffix}"))
    known = [path.read_bytes() for path in found if path.is_file()] or [WRITTEN[suffix]]
    for number in range(count):
        content = made(random.Random(f"{seed} {suffix} {number}"), known)[:MAX_FILE_BYTES]
        sys.stdout.write(f"{suffix} {seed} {number}: {len(content)} bytes\n")
        sys.stdout.flush()
        before = time.thread_time()
        read_source([SourceFile(f"a{suffix}", content)])
        outline_of(content, f"a{suffix}")
        took = time.thread_time() - before
        assert took < LIMIT_S, f"{took:.1f} s"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
