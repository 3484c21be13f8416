"""Answers in Markdown with every kind of block, and lines from which others are put together at random."""

DOCUMENTS = {
    "headings": "# One **bold** `code`\n\ntext right before\n## Two\ntext right after\n### Three ###\n#no heading\n",
    "underlined headings": "Title\n=====\n\nText\n\nSub title\n---\n\nTwo lines\nof title\n===\nmore\n",
    "nested lists": "- a\n  - b\n    - c\n      1. d\n      2. e\n- f\n\n  para\n\n  > quote in f\n- g\n* other\n",
    "numbers": "3. three\n4. four\n\nafter\n\n1) a\n2) b\n\ntext\n\n1. one\n\n2. loose\n",
    "tasks and empty items": "- [ ] open\n- [x] done\n-\n- a\n\n1.\n2. b\n",
    "a list after words": "words\n- a\n- b\nlazy\n\nwords\n1. a\n2. b\n\nwords\n5. is no list\n",
    "blocks in items": "- item\n\n      code\n\n- # head\n  text\n- two\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n",
    "quotations": "> one\n> two\n>\n> three\n> - list\n>\n> ```py\n> x = 1\n> ```\n\nafter\n\n> lazy\nline\n",
    "fences": '~~~python\nx = 1\n```\ny = 2\n~~~\nafter\n````md\n```py\nx\n```\n````\n```sh title="x"\nls\n```\n',
    "fences with blanks": "  ```py\n  if x:\n\n    y = 2\n\n\n  ```\nafter\n```\n\n\nx\n\n\n```\nlast\n",
    "fences in a list": "1. do:\n   ```sh\n   ls -l\n\n   cd x\n   ```\n2. then\n   ```\n   plain\n   ```\n",
    "an open fence": "before\n```py\nx = 1\ny = 2",
    "indented code": "words\n\n    code one\n    code two\n\n    code three\n\nafter\n",
    "html": "<div>\n<b>bold</b> text\n</div>\n\nText <br> and <!-- c --> end\n",
    "links": "[a *b* c](http://x.y/a_b) <http://auto.link/x> [http://z.z](http://z.z) [ref][1].\n\n[1]: http://r\n",
    "pictures": "![alt text](http://p/p.png) inside ![x](http://y) words\n",
    "hard breaks": "line one  \nline two\\\nline three\nsoft\n",
    "rules": "a\n\n---\n\nb\n\n***\nc\n- - -\nd\n",
    "marks": "a **b *c* d** e ~~f~~ `code ``ticks` ``a`b`` __u__ ***both*** 2*3*4 snake_case 2 * 3 *un closed\n",
    "marks over lines": "**bold starts\nand ends** next *it\n\nnew* words `open code and\nso on\n\nlast\n",
    "a table": "| a | b | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |\n| 一二三 | `code` | **bold** |\n\nafter\n",
    "a table after words": "Here it is:\n| a | b |\n|---|---|\n| 1 | 2 |\nafter\n\nname | 值\n--- | ---\nx | 甲\n",
    "a wide table": "| name | about | notes |\n|---|---|---|\n| alpha | words without room | 很长的中文说明放不下 |\n",
    "many columns": f"{'|head' * 12}|\n{'|---' * 12}|\n|{'|'.join(f'value {n}' for n in range(12))}|\n",
    "no table": "| not a table\nstill text\n\na | b\nwords\n",
    "chinese": "你好世界，这是一个很长的段落。没有空格的**粗体**文字，还有`代码`，一直到行尾。\n第二行接着写。\n",
    "scripts mixed": "中文\n换行 English\nwords\n中文 한국어와 日本語のテキスト、そして more words\n",
    "emoji": "Family 👨‍👩‍👧 flag 🇩🇪 ❤️ skin 👍🏽 end of it 👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧\n\n| ❤️ | b |\n|---|---|\n| 👨‍👩‍👧 | 2 |\n",
    "long words": f"{'x' * 130} y\n\n- {'z' * 130}\n",
    "escapes": "a &amp; b &lt; c &copy; \\* \\# \\_ $$x_1 * y_2$$\n",
    "windows lines": "a\r\n\r\n- b\r\n- c\r\n",
    "tabs": "- a\n\t- b\n\t\t- c\n\n```make\nall:\n\techo hi\n```\n",
}

_LINES = """# head
Title
=====
Sub
---
***
==
    indented code
hard  
back\
- item
  - nested
* star
1. one
7) seven
   more of it
-
> quote
> - list
```py
```
   ```
~~~
````
x = 1
| a | b |
|---|---|
| 1 | 二 |
a | b
--- | ---
a line | with a bar that is longer than a row of the window | x
words of a plain paragraph that goes on for quite a while
short
你好世界，这是一个段落的**粗体**文字
**open bold
close** it
`code
span` x
[link
text](http://x.y/z)
<http://a.b>
![i](p)
[1]: http://r
*a* _b_ __c__ ~~d~~ `e`
2 * 3 * 4
snake_case_x

"""
LINES = tuple(_LINES.split("\n"))
"""Lines that mean something else in each other's company."""

PARTS = ("no end ", "中文", "👨‍👩‍👧 ", "❤️", "|", "\\", "`", "*", "**", "_", "[", "](", ")", "!", " ", "  ", "\t")
"""Parts of lines."""
