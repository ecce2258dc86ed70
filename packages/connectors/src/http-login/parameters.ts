// The parameters of a website: the request that checks a secret, and the request that changes it.
import type { ParameterField } from "@strongroom/contract";
import { STATUS_PATTERN } from "../api-token/check.ts";
import { REQUIRED_TLS_PARAMETERS } from "../tls-settings.ts";

const PATH_PATTERN = { source: "/[\\x21-\\x7e]{0,2000}", message: "Enter a path that begins with a slash" };
const optionsOf = (...values: string[]) => values.map((value) => ({ value, label: value }));

export const HTTP_PARAMETERS: readonly ParameterField[] = [
  {
    kind: "text",
    name: "check_path",
    label: "Path to check",
    help: "A path that requires the password or token",
    placeholder: "/",
    pattern: PATH_PATTERN,
  },
  {
    kind: "choice",
    name: "method",
    label: "Method",
    placeholder: "GET (default)",
    options: optionsOf("GET", "HEAD", "POST"),
    is_advanced: true,
  },
  {
    kind: "text",
    name: "expect_status",
    label: "Expected status",
    placeholder: "200-299",
    pattern: STATUS_PATTERN,
    is_advanced: true,
  },
  {
    kind: "text",
    name: "change_path",
    label: "Path to change the password",
    help: "Empty: passwords are not rotated. {username} is replaced.",
    placeholder: "/api/users/{username}/password",
    pattern: PATH_PATTERN,
  },
  {
    kind: "pairs",
    name: "change_body",
    label: "Fields of the change",
    help: "{username}, {old} and {new} are replaced.",
  },
  {
    kind: "choice",
    name: "change_type",
    label: "Format of the change",
    placeholder: "JSON (default)",
    options: [
      { value: "json", label: "JSON" },
      { value: "form", label: "Form" },
    ],
    is_advanced: true,
  },
  {
    kind: "choice",
    name: "change_method",
    label: "Method of the change",
    placeholder: "PUT (default)",
    options: optionsOf("PUT", "POST", "PATCH"),
    is_advanced: true,
  },
  {
    kind: "text",
    name: "change_expect_status",
    label: "Expected status of the change",
    placeholder: "200-299",
    pattern: STATUS_PATTERN,
    is_advanced: true,
  },
  ...REQUIRED_TLS_PARAMETERS,
];
