_书目 = ["山中来信", "潮汐表", "第七个冬天"]


def 检索(上限: int, 关键词: str) -> list[str]:
    return [书名 for 书名 in _书目 if 关键词 in 书名][:上限]
