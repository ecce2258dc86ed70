// The request that changes a password on a website, read from an entry.
import { statusRange } from "../api-token/check.ts";
import type { Failure, Target } from "../connector.ts";
import { unsupported } from "../finding.ts";
import { refuse, urlOf } from "./login-check.ts";

const METHODS = ["PUT", "POST", "PATCH"] as const;

export interface ChangeCall {
  url: URL;
  method: (typeof METHODS)[number];
  contentType: string;
  body(values: Values): string;
  expectStatus: { from: number; to: number };
}

/** The values of the placeholders `{username}`, `{old}` and `{new}`. */
interface Values {
  username: string;
  old: string;
  new: string;
}

type Template = Record<string, unknown>;

/**
 * `change_path` (may contain `{username}`), `change_method` (PUT), `change_body` (a JSON object whose texts contain
 * the placeholders), `change_type` (`json` or `form`) and `change_expect_status` (200-299).
 */
export function changeCall(target: Target): ChangeCall | { failure: Failure } {
  const { change_path, change_method = "PUT", change_body, change_type = "json" } = target.additionalParams;
  const { change_expect_status = "200-299" } = target.additionalParams;
  if (change_path === undefined) {
    return {
      failure: unsupported(
        "The entry does not describe how this site changes a password. Set change_path and change_body.",
      ),
    };
  }
  const path = (typeof change_path === "string" ? change_path : "").replaceAll("{username}", () =>
    encodeURIComponent(target.username ?? ""),
  );
  const url = urlOf(target, path);
  if (url === null) return refuse("change_path must be a path that begins with a slash.");
  if ("failure" in url) return url;
  const method = METHODS.find((each) => each === String(change_method).toUpperCase());
  if (method === undefined) return refuse(`change_method must be ${METHODS.join(", ")}.`);
  const expectStatus = statusRange(change_expect_status);
  if (expectStatus === null)
    return refuse("change_expect_status must be a status, or two with a hyphen, such as 200-299.");
  if (!isTemplate(change_body) || !JSON.stringify(change_body).includes("{new}")) {
    return refuse("change_body must be a JSON object that contains {new} for the new password.");
  }
  if (change_type === "form") {
    if (!Object.values(change_body).every((value) => typeof value === "string"))
      return refuse("For a form, change_body must be a JSON object of strings.");
    return { url, method, expectStatus, contentType: "application/x-www-form-urlencoded", body: formOf(change_body) };
  }
  if (change_type !== "json") return refuse("change_type must be json or form.");
  return { url, method, expectStatus, contentType: "application/json", body: jsonOf(change_body) };
}

function isTemplate(value: unknown): value is Template {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value becomes one JSON string, whatever characters it contains. */
const jsonOf = (template: Template) => (values: Values) =>
  JSON.stringify(template, (_, value: unknown) => (typeof value === "string" ? filled(value, values) : value));

const formOf = (template: Template) => (values: Values) =>
  new URLSearchParams(
    Object.entries(template).map(([name, text]): [string, string] => [name, filled(String(text), values)]),
  ).toString();

/** Replaces all placeholders in one pass: inserted values are not searched for placeholders. */
function filled(text: string, values: Values): string {
  return text.replaceAll(/\{(username|old|new)\}/g, (_, name: keyof Values) => values[name]);
}
