// Describes a browser's user agent for people: "Firefox on Linux".

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/(Headless)?Chrome\//, "Chrome"],
  [/Version\/.*Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

const nameIn = (list: typeof BROWSERS, agent: string): string | undefined =>
  list.find(([pattern]) => pattern.test(agent))?.[1];

/** Falls back to the first words of the user agent, so that scripts appear under their own name. */
export function describeAgent(agent: string | null): string {
  if (agent === null || agent.trim() === "") return "Unknown client";
  const browser = nameIn(BROWSERS, agent);
  const system = nameIn(SYSTEMS, agent);
  if (browser === undefined) return agent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}
