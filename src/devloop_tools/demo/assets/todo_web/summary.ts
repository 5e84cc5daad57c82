// What a page says above the list of todos.
import type { Todo } from "./contract/types";

export function summary(todos: Todo[]): string {
  const open = todos.filter((todo) => !todo.done).length;
  return open === 0 ? "全部完成 all done" : `${open} / ${todos.length} 待办 to do`;
}
