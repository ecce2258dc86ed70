import { CLOUD_HOSTS } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import { CONNECTORS } from "#shared/connectors/testing/descriptions.ts";
import { aPlatform } from "../testing/an-account.ts";
import { EMPTY_FORM, type AccountFormValues } from "./account-form-values.ts";
import { SYSTEMS, isChosen, matchingSystems, platformSystems, valuesOfSystem } from "./systems.ts";

const labelsFor = (search: string) => matchingSystems(SYSTEMS, search).map(({ label }) => label);
const systemOf = (label: string) => SYSTEMS.find((each) => each.label === label)!;
const platform = (name: string, system_type: "Linux" | "postgresql" | "Network Device") => ({
  ...aPlatform(),
  id: name as ReturnType<typeof aPlatform>["id"],
  name,
  system_type,
});

const choose = (label: string, values: AccountFormValues = EMPTY_FORM, platforms = [platform("pg", "postgresql")]) => ({
  ...values,
  ...valuesOfSystem(systemOf(label), { values, connectors: CONNECTORS, platforms }),
});

describe("the search", () => {
  test("finds systems by the beginning of each word, by vendor and by protocol", () => {
    expect(labelsFor("postgres")).toEqual(["PostgreSQL"]);
    expect(labelsFor("LINUX")).toEqual(["Linux"]);
    expect(labelsFor("cisco")).toEqual(["Cisco IOS"]);
    expect(labelsFor("juniper sw")).toEqual(["Junos"]);
    expect(labelsFor("gcp")).toEqual(["Google Cloud service account key"]);
    expect(labelsFor("mainframe")).toEqual([]);
    expect(labelsFor("inux")).toEqual([]);
  });

  test("lists systems with the word in their name first", () => {
    expect(labelsFor("mysql")).toEqual(["MySQL", "MariaDB"]);
    expect(labelsFor("ldap")).toEqual(["LDAP", "Active Directory"]);
  });

  test("lists everything without a search text", () => {
    expect(labelsFor("  ")).toHaveLength(SYSTEMS.length);
  });

  test("gives each system a different name", () => {
    expect(new Set(SYSTEMS.map(({ id }) => id)).size).toBe(SYSTEMS.length);
  });
});

describe("choosing a system", () => {
  test("sets type, method, port, database and the only platform", () => {
    expect(choose("PostgreSQL")).toMatchObject({
      system: "postgresql",
      connection_method: "SQL",
      port: "5432",
      database_name: "postgres",
      schema_name: "public",
      platform_id: "pg",
    });
  });

  test("sets the protocol, its port and its parameters", () => {
    const redis = choose("Redis");
    expect(redis).toMatchObject({ system: "Application", port: "6379", additional_params: { protocol: "redis" } });
    expect(choose("Cisco IOS", redis)).toMatchObject({
      system: "Network Device",
      port: "22",
      additional_params: { protocol: "network-device", device: "cisco-ios" },
    });
    expect(choose("Linux", redis)).toMatchObject({ connection_method: "SSH", port: "22", additional_params: {} });
  });

  test("replaces defaults of the earlier choice, and keeps typed values", () => {
    const typed = { ...choose("PostgreSQL"), database_name: "shop", hostname: "db1" };
    expect(choose("MariaDB", typed)).toMatchObject({ database_name: "shop", schema_name: "", hostname: "db1" });
    const azure = choose("Azure client secret");
    expect(azure.hostname).toBe(CLOUD_HOSTS.azure);
    expect(choose("Linux", azure).hostname).toBe("");
  });

  test("leaves the platform to the user when a type has several, and offers these by name", () => {
    const platforms = [platform("Routers", "Network Device"), platform("Switches", "Network Device")];
    expect(choose("Junos", EMPTY_FORM, platforms).platform_id).toBe("");
    expect(choose("Junos", { ...EMPTY_FORM, platform_id: "Switches" }, platforms).platform_id).toBe("Switches");
    const offered = platformSystems([...platforms, platform("pg", "postgresql")]);
    expect(offered.map(({ label }) => label)).toEqual(["Routers", "Switches"]);
    const context = { values: EMPTY_FORM, connectors: CONNECTORS, platforms };
    expect(valuesOfSystem(offered[1]!, context)).toMatchObject({ system: "Network Device", platform_id: "Switches" });
  });

  test("no longer counts as the choice once its type or protocol changes", () => {
    const redis = choose("Redis");
    expect(isChosen(systemOf("Redis"), redis)).toBe(true);
    expect(isChosen(systemOf("Redis"), { ...redis, additional_params: {} })).toBe(false);
    expect(isChosen(systemOf("Redis"), { ...redis, system: "Linux" })).toBe(false);
  });
});
