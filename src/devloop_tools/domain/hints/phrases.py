"""The sentences of hints, in Chinese and in English."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Forms with named places. `causes` go by the sort of failure or difference."""

    nothing: str
    where: str
    where_unknown: str
    beside: str
    also: str
    told: str
    colon: str
    values: str
    contract: str
    no_contract: str
    cause: str
    spread: str
    read: str
    run: str
    run_all: str
    more: str
    causes: Mapping[str, str]


EN = Phrases(
    nothing="The report holds no failure: there is nothing to give a hint on.",
    where="{at}. `{name}` in {path}:{line}",
    where_unknown="{at}. {place}",
    beside=" or {names}",
    also=" ({count} failures)",
    told="Failed: {failure}",
    colon=": ",
    values="Expected {expected}; came {actual}.",
    contract="Contract: {passage}",
    no_contract="Contract: {unit} has none that says more.",
    cause="Likely: {cause}",
    spread=" {failing} of {failures} failures and {passing} passing tests run `{name}`.",
    read="Next: read {path}:{start}-{end}",
    run="Next: {what}",
    run_all="Next: run the tests again, with a report that names the files.",
    more="… and {count} more causes; mend these first.",
    causes={
        "assertion": "a wrong value.",
        "error": "an error that nothing catches.",
        "snapshot": "the output changed its form: mend the code, or run with -u if that is meant.",
        "timeout": "a promise never settles, or a callback is never called.",
        "load": "the file can't be loaded, so none of its tests ran: mend that import first.",
        "hook": "a hook failed, so its tests never ran.",
        "unhandled": "a promise that nobody awaits was rejected.",
        "nothing": "no value where one was expected: a missing return, key or await.",
        "off_by_one": "off by one: a bound, < for <=, or an index.",
        "sign": "the sign is turned.",
        "scale": "a wrong unit: the values differ by a power of ten.",
        "inverted": "a condition is turned round, or its bound is wrong.",
        "order": "the right items in another order: sorting.",
        "case": "only upper and lower case differ.",
        "space": "only white space differs.",
        "type": "a text where a number was expected, or the other way round.",
        "not_raised": "the check that should refuse this doesn't.",
        "no_member": "it is used as something that it is not: a wrong name or type.",
        "of_nothing": "a value is missing that is used at once.",
    },
)

ZH = Phrases(
    nothing="报告里没有失败，没有可提示的内容。",
    where="{at}. `{name}`，{path}:{line}",
    where_unknown="{at}. {place}",
    beside=" 或 {names}",
    also="（{count} 处失败）",
    told="失败：{failure}",
    colon="：",
    values="期望 {expected}，实际 {actual}。",
    contract="契约：{passage}",
    no_contract="契约：{unit} 没有更多说明。",
    cause="可能原因：{cause}",
    spread="{failures} 处失败中有 {failing} 处、另有 {passing} 个通过的测试会执行 `{name}`。",
    read="下一步：查看 {path}:{start}-{end}",
    run="下一步：{what}",
    run_all="下一步：重新运行测试，并使用列出文件的报告。",
    more="…… 另有 {count} 个原因；先修复以上。",
    causes={
        "assertion": "值不对。",
        "error": "抛出的错误没有被捕获。",
        "snapshot": "输出的形式变了：修正代码；若是有意的，用 -u 重新生成快照。",
        "timeout": "某个 promise 一直没有结束，或回调没有被调用。",
        "load": "文件无法加载，其中的测试都没有运行：先修复导入。",
        "hook": "钩子失败，其测试都没有运行。",
        "unhandled": "有一个没有 await 的 promise 被拒绝。",
        "nothing": "该有值的地方没有值：漏了 return、键名或 await。",
        "off_by_one": "差一：边界、< 与 <=，或下标。",
        "sign": "正负号反了。",
        "scale": "单位不对：两值相差 10 的幂。",
        "inverted": "条件写反了，或边界不对。",
        "order": "内容对，顺序不对：排序。",
        "case": "只有大小写不同。",
        "space": "只有空白不同。",
        "type": "该是数字却是文本，或相反。",
        "not_raised": "应当拒绝的检查没有拒绝。",
        "no_member": "被当成了它不是的东西：名称或类型不对。",
        "of_nothing": "马上要用的值不存在。",
    },
)
