def 计算罚款(逾期天数: int, 每天: float) -> float:
    """逾期天数乘以每天的罚款，封顶二十元。"""
    return min(逾期天数 * 每天, _封顶())


def _封顶() -> float:
    return 20.0
