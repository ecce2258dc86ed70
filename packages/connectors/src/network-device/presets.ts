// The prompts and answers of common devices. A new kind of device is an entry here, or a script in the entry's
// additional parameters.
import { REFUSED_CODES } from "../connector.ts";

export interface Step {
  /** The last line on the screen must match one of these completely; `*` matches anything. */
  expect: readonly string[];
  /** May contain the placeholders `{username}`, `{current}`, `{candidate}`, `{candidate_cisco8}` and `{candidate_cisco9}`. */
  send: string;
  /** Skipped when the prompt is already that of the next step. */
  optional?: boolean;
}

/** `busy`: nothing can be changed now, but a later attempt may succeed. */
export const REFUSALS = [...REFUSED_CODES, "busy"] as const;

export interface Script {
  /** The prompts of the Telnet login, and the prompt at which the device accepts commands. */
  username: readonly string[];
  password: readonly string[];
  ready: readonly string[];
  /** The last step makes the change; the answer to it decides. */
  change: readonly Step[];
  /** Like `change`, but for another account; null: `change` is used. */
  reconcile: readonly Step[] | null;
  /** Runs after the change, so that it survives a restart. */
  save: readonly Step[];
  /** Changes nothing, and is refused without permission to reconcile. */
  check: readonly Step[];
  /** A line that the answer to the change must contain; if none is set, the next prompt is enough. */
  success: readonly string[];
  /** Lines, including prompts, by which the device refuses. The first match in the list counts. */
  refusals: readonly { line: string; code: (typeof REFUSALS)[number] }[];
}

/** Prompts at a login that first requires a new password. */
export const MUST_CHANGE = [
  "New password:",
  "Enter new password:",
  "New Password:",
  "Current password:",
  "Old password:",
  "(current) UNIX password:",
];

/** Cisco IOS and IOS XE. The account needs privilege level 15; the password is sent only as its type 9 hash. */
const ciscoIos: Script = {
  username: ["Username:", "*login:"],
  password: ["Password:"],
  ready: ["*#", "*>"],
  change: [
    { expect: ["*#"], send: "configure terminal" },
    { expect: ["*(config)#"], send: "username {username} secret 9 {candidate_cisco9}" },
  ],
  reconcile: null,
  save: [
    { expect: ["*(config)#"], send: "end" },
    { expect: ["*#"], send: "write memory" },
  ],
  check: [
    { expect: ["*#"], send: "configure terminal" },
    { expect: ["*(config)#"], send: "end" },
  ],
  success: [],
  refusals: [
    { line: "*>", code: "no-permission" },
    { line: "*uthorization failed*", code: "no-permission" },
    { line: "ERROR: Can not have both*", code: "not-changeable" },
    { line: "% *password*", code: "password-rules" },
    { line: "% *", code: "not-changeable" },
  ],
};

/** Junos. `configure exclusive` discards everything when the session ends before the commit. */
const junos: Script = {
  username: ["*login:"],
  password: ["Password:"],
  ready: ["*>"],
  change: [
    { expect: ["*>"], send: "configure exclusive" },
    { expect: ["*#"], send: "set system login user {username} authentication plain-text-password" },
    { expect: ["New password:"], send: "{candidate}" },
    { expect: ["Retype new password:"], send: "{candidate}" },
    { expect: ["*#"], send: "commit and-quit" },
  ],
  reconcile: null,
  save: [],
  check: [
    { expect: ["*>"], send: "configure exclusive" },
    { expect: ["*#"], send: "exit" },
  ],
  success: ["commit complete"],
  refusals: [
    { line: "error: configuration database locked*", code: "busy" },
    { line: "*ermission denied*", code: "no-permission" },
    { line: "unknown command.", code: "no-permission" },
    { line: "error: require*", code: "password-rules" },
    { line: "error: minimum*", code: "password-rules" },
    { line: "error: *password*", code: "password-rules" },
    { line: "error: *", code: "not-changeable" },
  ],
};

const SHELL = ["*$", "*#", "*%", "*>"];
const NEW = ["New password:", "Enter new UNIX password:"];
const AGAIN = ["Retype new password:", "Retype new UNIX password:", "Re-enter new password:"];

/**
 * A Unix account with a shell, mostly over Telnet: SSH has the connector `linux`. Other accounts are changed through
 * sudo.
 */
const unix: Script = {
  username: ["*login:"],
  password: ["Password:"],
  ready: SHELL,
  change: [
    { expect: SHELL, send: "passwd" },
    { expect: ["Current password:", "(current) UNIX password:", "Old password:"], send: "{current}" },
    { expect: NEW, send: "{candidate}" },
    { expect: AGAIN, send: "{candidate}" },
  ],
  reconcile: [
    { expect: SHELL, send: "sudo -p Password: passwd {username}" },
    { expect: ["Password:"], send: "{current}", optional: true },
    { expect: NEW, send: "{candidate}" },
    { expect: AGAIN, send: "{candidate}" },
  ],
  save: [],
  check: [
    { expect: SHELL, send: "sudo -p Password: -l passwd {username} || echo no-permission" },
    { expect: ["Password:"], send: "{current}", optional: true },
  ],
  success: ["*password updated successfully*", "*authentication tokens updated successfully*"],
  refusals: [
    { line: "*not allowed to*", code: "no-permission" },
    { line: "*not in the sudoers file*", code: "no-permission" },
    { line: "no-permission", code: "no-permission" },
    { line: "*may not view or modify*", code: "no-permission" },
    { line: "*does not exist", code: "no-such-account" },
    { line: "*wait longer to change*", code: "too-young" },
    { line: "*assword unchanged*", code: "reused" },
    { line: "The password has not been changed.", code: "reused" },
    { line: "*already used*", code: "reused" },
    { line: "BAD PASSWORD*", code: "password-rules" },
    { line: "Bad:*", code: "password-rules" },
    { line: "*choose a longer password*", code: "password-rules" },
    { line: "*manipulation error*", code: "not-changeable" },
  ],
};

export const PRESETS: Readonly<Record<string, Script>> = { "cisco-ios": ciscoIos, junos, unix };
