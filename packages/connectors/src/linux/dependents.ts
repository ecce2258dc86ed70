// Reads systemd units, timers and cron jobs, and the accounts as which they run, from the output of the script.
import type { ListedDependent } from "../connector.ts";

interface Unit {
  name: string;
  settings: Map<string, string>;
}

/** The dependents of each account. */
export function dependentsIn(lines: readonly string[]): Map<string, ListedDependent[]> {
  const found = new Map<string, ListedDependent[]>();
  const add = (account: string, dependent: ListedDependent) => {
    const known = found.get(account);
    if (known === undefined) found.set(account, [dependent]);
    else known.push(dependent);
  };
  const enabled = new Set(lines.filter((line) => line.startsWith("W:")).map((line) => line.slice(2)));
  const units = unitsIn(lines);
  for (const unit of units.values()) {
    const isTimer = unit.name.endsWith(".timer");
    const runs = isTimer ? units.get(unit.settings.get("Unit") ?? unit.name.replace(/timer$/, "service")) : unit;
    if (runs === undefined || runs.settings.get("DynamicUser") === "yes") continue;
    for (const { name, account } of instancesOf(unit, runs, enabled)) {
      const isEnabled = enabled.has(name) ? "enabled" : "not enabled";
      const [text = ""] = isTimer
        ? ["OnCalendar", "OnBootSec", "OnUnitActiveSec"].flatMap((key) => unit.settings.get(key) ?? [])
        : [unit.settings.get("ExecStart") ?? ""];
      add(account, {
        kind: isTimer ? "timer" : "service",
        name,
        detail: text === "" ? isEnabled : `${text} (${isEnabled})`,
      });
    }
  }
  for (const line of lines) {
    if (!line.startsWith("J:")) continue;
    const [file = "", account = "", when = "", program = ""] = line.slice(2).split("\t").map(clean);
    if (account !== "") add(account, { kind: "cron-job", name: `${file}: ${program}`, detail: when });
  }
  return found;
}

const clean = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD").slice(0, 256);

/** Units by name: a file in an earlier folder hides those in later ones, and drop-ins add to it. */
function unitsIn(lines: readonly string[]): Map<string, Unit> {
  const units = new Map<string, Unit>();
  const dropIns: { of: string; key: string; value: string }[] = [];
  let settings: Map<string, string> | null = null;
  let dropInOf: string | null = null;
  for (const line of lines) {
    if (line.startsWith("N:")) {
      const path = line.slice(2).split("/");
      const [folder = "", file = ""] = path.slice(-2);
      dropInOf = folder.endsWith(".d") ? folder.slice(0, -2) : null;
      settings = dropInOf === null && !units.has(file) ? new Map() : null;
      if (settings !== null) units.set(file, { name: clean(file), settings });
    } else if (line.startsWith("V:")) {
      const [, key = "", value = ""] = /^(\w+)\s*=\s*(.*)$/.exec(line.slice(2)) ?? [];
      if (dropInOf !== null) dropIns.push({ of: dropInOf, key, value: clean(value) });
      else if (value !== "" && !(key === "ExecStart" && settings?.has(key))) settings?.set(key, clean(value));
    }
  }
  for (const { of, key, value } of dropIns) {
    const unit = units.get(of);
    if (value === "") unit?.settings.delete(key);
    else unit?.settings.set(key, value);
  }
  return units;
}

/** A template (`app@.service`) has one instance for each enabled link; `%i` in its user is the instance's name. */
function instancesOf(unit: Unit, runs: Unit, enabled: ReadonlySet<string>): { name: string; account: string }[] {
  const user = runs.settings.get("User") ?? "root";
  const [, before, after] = /^(.*@)(\.\w+)$/.exec(unit.name) ?? [];
  if (before === undefined || after === undefined) return [{ name: unit.name, account: user }];
  const instances = [...enabled].filter(
    (name) => name.startsWith(before) && name.endsWith(after) && name !== unit.name,
  );
  return instances.map((name) => {
    const instance = name.slice(before.length, -after.length);
    return { name: clean(name), account: user.replaceAll(/%[iI]/g, instance) };
  });
}
