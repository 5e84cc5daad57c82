"""图书馆：检索、借书、还书。"""

from .罚款 import 计算罚款
from .检索 import 检索

__all__ = ["检索", "计算罚款"]
