import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Screen } from "./screen.ts";

let element: HTMLElement;
let screen: Screen;
let input: string[];
beforeEach(() => {
  element = document.body.appendChild(document.createElement("div"));
  input = [];
  screen = new Screen(element, { onInput: (data) => void input.push(data) });
});
afterEach(() => {
  screen.dispose();
  element.remove();
});

const shown = (row: number): string => screen.terminal.buffer.active.getLine(row)?.translateToString(true) ?? "";

test("output is shown as text", async () => {
  await screen.write("<b>root</b>@db1\r\n");
  expect(shown(0)).toBe("<b>root</b>@db1");
});

test.each(["L", "M", "S", "T", "b", "I", "Z"])("an endless repetition by CSI %s is refused", async (final) => {
  await screen.write(`x\u001b[2147483647${final}`);
  await screen.write("\r\u001b[2Kafter");
  expect(shown(screen.terminal.buffer.active.cursorY)).toBe("after");
});

test("output cannot set titles, make links or read the clipboard", async () => {
  let title = "";
  screen.terminal.onTitleChange((text) => (title = text));
  await screen.write(
    "\u001b]0;evil\u0007\u001b]2;evil\u0007\u001b]52;c;?\u0007\u001b]8;;https://evil.example\u0007link",
  );
  expect(title).toBe("");
  expect(input).toEqual([]);
  expect(shown(0)).toBe("link");
  // xterm underlines links and nothing else here.
  expect(screen.terminal.buffer.active.getLine(0)?.getCell(0)?.isUnderline()).toBe(0);
});

test("output cannot write to the clipboard", async () => {
  const written = vi.spyOn(navigator.clipboard, "writeText");
  await screen.write("\u001b]52;c;c2VjcmV0\u0007\u001b]52;p;c2VjcmV0\u001b\\after");
  expect(written).not.toHaveBeenCalled();
  expect(shown(0)).toBe("after");
});

test("a screen without an input handler sends no terminal replies and ignores keys", async () => {
  const view = document.body.appendChild(document.createElement("div"));
  const readOnly = new Screen(view);
  const sent: string[] = [];
  readOnly.terminal.onData((data) => void sent.push(data));
  readOnly.terminal.input("rm -rf /");
  await readOnly.write("done");
  expect(sent).toEqual([]);
  readOnly.dispose();
  view.remove();
});
