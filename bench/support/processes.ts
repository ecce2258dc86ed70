// CPU and memory of processes, from the operating system (Linux).
import { readFileSync, readdirSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface Stat {
  parent: number;
  seconds: number;
  /** CPU time of children that have ended. */
  endedSeconds: number;
}

function statOf(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null; // The process has ended.
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
  return { parent: Number(fields[1]), seconds: seconds(11), endedSeconds: seconds(13) };
}

/** CPU seconds (user and system) of one process. */
export function cpuOf(pid: number): number {
  return statOf(pid)?.seconds ?? 0;
}

/** CPU seconds of a process and all its descendants, including ended ones. */
export function cpuWithEnded(pid: number): number {
  return familyOf(pid)
    .map(statOf)
    .reduce((sum, stat) => sum + (stat === null ? 0 : stat.seconds + stat.endedSeconds), 0);
}

/** Ids of a process and all its descendants. */
export function familyOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const stat = statOf(Number(name));
    if (stat !== null) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(name)]);
  }
  const all = [pid];
  for (let index = 0; index < all.length; index++) all.push(...(children.get(all[index]!) ?? []));
  return all;
}

/** Resident memory of one process in bytes. */
export function residentOf(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}
