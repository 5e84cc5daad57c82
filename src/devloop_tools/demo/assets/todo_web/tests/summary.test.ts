import { summary } from "../summary";

const milk = { id: 1, title: "买牛奶", done: true };
const call = { id: 2, title: "Call Ann", done: false };

describe("summary", () => {
  it("counts what is open", () => {
    expect(summary([milk, call])).toBe("1 / 2 待办 to do");
  });

  it("says when all is done", () => {
    expect(summary([milk])).toBe("全部完成 all done");
  });
});
