import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { InputMask, MASK } from "./input-mask.ts";

/** Each step: what the user types (`>`), what the target shows (`<`), or milliseconds that pass. */
function recorded(...steps: (string | number)[]): string {
  const mask = new InputMask();
  let at = 0;
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += mask.due((at += step));
    else if (step.startsWith(">")) text += mask.typed(step.slice(1), at);
    else text += mask.shown(step.slice(1), at);
  }
  return text + mask.end();
}

test("echoed text is recorded as typed", () => {
  assert.equal(recorded(">l", "<l", ">s", "<s", ">\r", "<\r\nfile\r\n$ "), "ls\r");
  assert.equal(recorded(">ls -la\r", "<ls -la\r\n"), "ls -la\r");
  assert.equal(recorded(">échø 💾\r", "<échø 💾\r\n"), "échø 💾\r");
});

test("text that is not echoed is masked, whatever its length", () => {
  assert.equal(recorded(">secret", 1000), MASK);
  assert.equal(recorded(">s", 600, ">e", 600, ">c", 600), MASK);
  assert.equal(recorded(">hunter2\r", "<\r\nWelcome hunter2\r\n"), `${MASK}\r`);
});

test("text after a prompt for a secret is masked even if it is echoed", () => {
  for (const prompt of [
    "Password: ",
    "[sudo] password for ann: ",
    "Enter passphrase for key '/home/ann/.ssh/id': ",
    "PIN: ",
  ]) {
    assert.equal(recorded(`<${prompt}`, ">abc", "<abc", ">\r", "<\r\n"), `${MASK}\r`, prompt);
  }
});

test("text on the line after a secret is recorded again", () => {
  assert.equal(recorded("<Password: ", ">abc\r", "<\r\n$ ", ">id", "<id", ">\r", "<\r\n"), `${MASK}\rid\r`);
});

test("asterisks in place of a password do not count as its echo", () => {
  assert.equal(recorded(">abc", "<***", ">\r", "<\r\n"), `${MASK}\r`);
});

test("control keys are recorded, and escape sequences are not mistaken for text", () => {
  assert.equal(recorded(">\u0003", ">\u001b[A", ">\u001bOP", ">\u007f", ">\t"), "\u0003\u001b[A\u001bOP\u007f\t");
  assert.equal(recorded(">a", "<\u001b[1ma\u001b[0m"), "a");
});

test("output that arrives between typed text and its echo does not reveal it", () => {
  assert.equal(recorded(">ab", "<zzab", 1000), MASK);
});

test("text that is not echoed is never recorded", () => {
  const secret = fc.stringMatching(/^[A-Z]{4,12}$/);
  const noise = fc.array(fc.stringMatching(/^[a-z0-9 \r\n]{0,20}$/));
  fc.assert(
    fc.property(secret, noise, (typed, outputs) => {
      const steps = outputs.flatMap((output) => [`<${output}`, 100]);
      assert.doesNotMatch(recorded(`>${typed}\r`, ...steps).replaceAll(MASK, ""), /[A-Z]/);
    }),
  );
});

test("memory is bounded for text without an echo", () => {
  const mask = new InputMask();
  assert.equal(mask.typed("x".repeat(100_000), 0), MASK);
  assert.ok(mask.end() === "");
});
