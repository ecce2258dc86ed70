// The parameters of a network device: a preset, and the parts of a script that replace the preset's.
import type { ParameterColumn, ParameterField } from "@strongroom/contract";
import { REFUSED_CODES } from "../connector.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";

const prompts = (name: string, label: string, help?: string): ParameterField => ({
  kind: "list",
  name: `script.${name}`,
  label,
  ...(help === undefined ? {} : { help }),
  is_advanced: true,
});

const STEP: ParameterColumn[] = [
  { kind: "text", name: "expect", label: "Prompt", max_length: 300 },
  { kind: "text", name: "send", label: "Answer", max_length: 300 },
  { kind: "switch", name: "optional", label: "Optional", default: false },
];
const steps = (name: string, label: string, help?: string): ParameterField => ({
  kind: "rows",
  name: `script.${name}`,
  label,
  ...(help === undefined ? {} : { help }),
  columns: STEP,
  is_advanced: true,
});

export const DEVICE_PARAMETERS: readonly ParameterField[] = [
  {
    kind: "choice",
    name: "device",
    label: "Device",
    placeholder: "Cisco IOS (default)",
    options: [
      { value: "cisco-ios", label: "Cisco IOS" },
      { value: "junos", label: "Junos" },
      { value: "unix", label: "Unix" },
    ],
  },
  {
    kind: "switch",
    name: "allow_clear_text",
    label: "Allow unencrypted Telnet",
    help: "Sends the password over an unencrypted connection",
    default: false,
    protocols: ["telnet"],
  },
  ...TLS_PARAMETERS.map((each) => ({ ...each, protocols: ["telnet"], is_advanced: true })),
  prompts("username", "Prompts for the user name"),
  prompts("password", "Prompts for the password"),
  prompts("ready", "Prompts for commands", "* matches anything"),
  steps("change", "Steps of a change", "Answers can contain {username}, {current} and {candidate}"),
  prompts("success", "Lines that confirm a change"),
  {
    kind: "rows",
    name: "script.refusals",
    label: "Lines that refuse a change",
    columns: [
      { kind: "text", name: "line", label: "Line", max_length: 300 },
      {
        kind: "choice",
        name: "code",
        label: "Meaning",
        options: [...REFUSED_CODES, "busy"].map((value) => ({ value, label: value })),
      },
    ],
    is_advanced: true,
  },
  steps("reconcile", "Steps of a change by a reconcile account", "Empty: the steps of a change"),
  steps("save", "Steps that save the configuration"),
  steps("check", "Steps that need the right to reconcile"),
];
