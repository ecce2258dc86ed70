// Turns what a scan of a Linux host reported into facts, and compares them with the planted ones.
import { existsSync } from "node:fs";
import type { ListResult, ListedAccount } from "../../src/connector.ts";
import type { Fact, PlannedHost } from "./plan.ts";

/** The facts of the kinds that were planted, about accounts that did not come with the system. */
export function factsOf(result: ListResult): Fact[] {
  if (result.outcome !== "listed") return [`scan ${result.outcome}: ${result.message}`];
  const people = result.accounts.filter(
    ({ name, facts }) => name !== "scanner" && (Number(facts["uid"]) >= 1000 || facts["uid"] === 0),
  );
  const own = people.filter(({ name }) => name !== "nobody" && name !== "root");
  const names = new Set(own.map(({ name }) => name));
  return [
    ...own.flatMap(accountFacts),
    ...people.filter(({ name }) => name !== "nobody").flatMap(privilegeFacts),
    ...own.flatMap(dependentFacts),
    ...(result.collected?.keys ?? []).flatMap(({ relation, account, fingerprint, isEncrypted }) => {
      const who = account ?? "everyone";
      if (relation === "opens") return names.has(who) || who === "root" ? [`${fingerprint} opens ${who}`] : [];
      return [`${who} reads ${fingerprint}${isEncrypted === true ? ", encrypted" : ""}`];
    }),
  ];
}

function accountFacts({ name, facts, passwordChangedAt, expiresAt }: ListedAccount): Fact[] {
  const changed = passwordChangedAt?.slice(0, 10);
  const twins = Array.isArray(facts["sharesUidWith"]) ? facts["sharesUidWith"].map(String) : [];
  return [
    `account ${name}`,
    `password of ${name} is ${String(facts["passwordStatus"])}`,
    ...(changed !== undefined && changed < "2026" ? [`password of ${name} changed on ${changed}`] : []),
    ...(expiresAt === null ? [] : [`${name} expires on ${expiresAt.slice(0, 10)}`]),
    ...twins.map((twin) => `${name} shares its user id with ${twin}`),
  ];
}

function privilegeFacts({ name, privileges = [] }: ListedAccount): Fact[] {
  // root itself is on every host, and the rule for root in sudoers gives it nothing.
  if (name === "root") return [];
  const shown = privileges.map(({ kind, becomes, needsPassword }) => {
    const as = becomes === undefined ? "" : ` ${becomes}`;
    return `privilege of ${name}: ${kind}${as}${needsPassword === true ? " with password" : ""}`;
  });
  return [...new Set(shown)];
}

function dependentFacts({ name, dependents = [] }: ListedAccount): Fact[] {
  const isVendors = (unit: string) =>
    ["/usr/lib", "/lib"].some((folder) => existsSync(`${folder}/systemd/system/${unit}`));
  return dependents
    .filter((each) => !isVendors(each.name))
    .map((each) => `dependent of ${name}: ${each.kind} ${each.name}`);
}

export interface Score {
  expected: number;
  reported: number;
  correct: number;
  missed: Fact[];
  wrong: Fact[];
}

export function compare(expected: readonly Fact[], reported: readonly Fact[]): Score {
  const [truth, found] = [new Set(expected), new Set(reported)];
  const correct = [...found].filter((fact) => truth.has(fact)).length;
  return {
    expected: truth.size,
    reported: found.size,
    correct,
    missed: [...truth].filter((fact) => !found.has(fact)),
    wrong: [...found].filter((fact) => !truth.has(fact)),
  };
}

export const truthOf = ({ planted }: PlannedHost): Fact[] => planted.flatMap(({ truth }) => truth);
export const setupOf = ({ planted }: PlannedHost): string => planted.map(({ setup }) => setup).join("\n");
