// The dialogue with a device: its prompts, the input at each, and the lines by which it refuses.
import type { Failure, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";
import { PRESETS, REFUSALS, type Script, type Step } from "./presets.ts";

const MAX_STEPS = 30;
const MAX_TEXT = 300;
const PLACEHOLDER = /\{[a-z0-9_]*\}/g;
const CLEAR = ["{current}", "{candidate}"];
const PLACEHOLDERS = [...CLEAR, "{username}", "{candidate_cisco8}", "{candidate_cisco9}"];
/** The end of a prompt that hides its input. */
const ASKS_FOR_SECRET = /(password|passphrase|passcode|secret)[^*a-z]{0,4}$/i;

/** Reads `device` (a preset) and `script` (replaces parts of the preset); without either the device is `cisco-ios`. */
export function scriptOf({ additionalParams }: Target): Script | { failure: Failure } {
  const { device = "cisco-ios", script = {} } = additionalParams;
  const preset = typeof device === "string" && Object.hasOwn(PRESETS, device) ? PRESETS[device] : undefined;
  if (preset === undefined)
    return refuse(`The additional parameter "device" must be one of ${Object.keys(PRESETS).join(", ")}.`);
  if (!isRecord(script)) return refuse('The additional parameter "script" must be an object.');
  const merged: Record<string, unknown> = { ...preset };
  for (const [name, value] of Object.entries(script)) {
    if (!Object.hasOwn(preset, name)) return refuse('The additional parameter "script" has an unknown field.');
    merged[name] = value;
  }
  const read = readScript(merged);
  return typeof read === "string" ? refuse(`In the additional parameter "script", ${read}.`) : read;
}

/** The script, or the error in it. */
function readScript(parts: Record<string, unknown>): Script | string {
  const texts: Record<string, readonly string[]> = {};
  for (const name of ["username", "password", "ready", "success"]) {
    const read = textsOf(parts[name]);
    if (read === null) return `${name} must be a string or a list of strings`;
    texts[name] = read;
  }
  const steps: Record<string, readonly Step[]> = {};
  for (const name of ["change", "reconcile", "save", "check"]) {
    const read = name === "reconcile" && parts[name] === null ? [] : stepsOf(parts[name]);
    if (typeof read === "string") return `${name}: ${read}`;
    steps[name] = read;
  }
  const refusals = refusalsOf(parts["refusals"]);
  if (refusals === null) return "refusals must be a list of objects with line and code";
  const { username = [], password = [], ready = [], success = [] } = texts;
  const { change = [], reconcile = [], save = [], check = [] } = steps;
  if ([username, password, ready].some((list) => list.length === 0))
    return "username, password and ready must not be empty";
  if (!password.every((text) => ASKS_FOR_SECRET.test(text))) return "password must end with the word password";
  if ([...save, ...check].some(({ send }) => send.includes("{candidate")))
    return "save and check must send no new password";
  return {
    username,
    password,
    ready,
    success,
    change,
    save,
    check,
    refusals,
    reconcile: reconcile.length === 0 ? null : reconcile,
  };
}

/**
 * INVARIANT: a password in clear text is typed alone, and only at a prompt that asks for one. On a command line it
 * would be displayed, kept in histories and sent to accounting servers.
 */
function stepsOf(value: unknown): readonly Step[] | string {
  if (!Array.isArray(value) || value.length > MAX_STEPS) return `it must be a list of up to ${MAX_STEPS} steps`;
  const steps: Step[] = [];
  for (const each of value as unknown[]) {
    const expect = isRecord(each) ? textsOf(each["expect"]) : null;
    const send = isRecord(each) ? each["send"] : null;
    if (expect === null || expect.length === 0 || !isText(send)) return "a step needs the strings expect and send";
    const unknown = send.match(PLACEHOLDER)?.some((name) => !PLACEHOLDERS.includes(name)) === true;
    if (unknown) return `a step can use ${PLACEHOLDERS.join(", ")}`;
    if (CLEAR.some((name) => send.includes(name))) {
      if (!CLEAR.includes(send)) return "a step that sends {current} or {candidate} must send nothing else";
      if (!expect.every((text) => ASKS_FOR_SECRET.test(text)))
        return "a step that sends {current} or {candidate} must wait for a prompt that ends with the word password";
    }
    steps.push({ expect, send, optional: isRecord(each) && each["optional"] === true });
  }
  return steps;
}

function refusalsOf(value: unknown): Script["refusals"] | null {
  if (!Array.isArray(value) || value.length > MAX_STEPS) return null;
  const refusals = (value as unknown[]).map((each) => {
    const { line, code } = isRecord(each) ? each : {};
    const known = REFUSALS.find((name) => name === code);
    return isText(line) && known !== undefined ? { line, code: known } : null;
  });
  return refusals.some((each) => each === null) ? null : (refusals as Script["refusals"]);
}

function textsOf(value: unknown): readonly string[] | null {
  const list: unknown = typeof value === "string" ? [value] : value;
  return Array.isArray(list) && list.length <= MAX_STEPS && list.every(isText) ? list : null;
}

/** One line of printable ASCII; a pattern of stars alone would match every line. */
function isText(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= MAX_TEXT && /^[\x20-\x7e]+$/.test(value) && !/^[* ]+$/.test(value)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
