import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterKind,
  afterProtocol,
  fieldsOf,
  leafName,
  leafText,
  leavesOf,
  parameterErrors,
  portAfterProtocol,
  withLeaf,
  withParameter,
  withoutLeaf,
  type Params,
} from "./parameter-values.ts";
import { CONNECTORS } from "./testing/descriptions.ts";

const APPLICATION = { type: "application", connection_string: "" };
const DATABASE = { type: "postgresql", connection_string: "" };
const names = (params: Params, kind = APPLICATION) => fieldsOf(CONNECTORS, kind, params).map(({ name }) => name);

test("the fields are those of the connector that the protocol or the type selects", () => {
  expect(names({})).toEqual([]);
  expect(names({ protocol: "REDIS" })).toEqual(["sslmode", "ca"]);
  expect(names({ protocol: "unheard-of" })).toEqual([]);
  expect(names({ protocol: "redis" }, DATABASE)).toEqual(["sslmode"]);
});

describe("choosing a protocol", () => {
  test("stores it with its initial values and keeps values that both protocols use", () => {
    expect(afterProtocol(CONNECTORS, APPLICATION, {}, "redis")).toEqual({ protocol: "redis", sslmode: "verify-full" });
    const before = { protocol: "active-directory", domain: "corp.example", sslmode: "verify-ca", own: { a: [1] } };
    expect(afterProtocol(CONNECTORS, APPLICATION, before, "redis")).toEqual({
      protocol: "redis",
      sslmode: "verify-ca",
      own: { a: [1] },
    });
    expect(afterProtocol(CONNECTORS, APPLICATION, before, null)).toEqual({ sslmode: "verify-ca", own: { a: [1] } });
  });

  test("choosing a different type of entry drops the protocol and its values", () => {
    const before = { protocol: "redis", sslmode: "verify-full", ca: "PEM", own: 1 };
    expect(afterKind(CONNECTORS, APPLICATION, DATABASE, before)).toEqual({ sslmode: "verify-full", own: 1 });
    expect(afterKind([], APPLICATION, APPLICATION, before)).toBe(before);
  });

  test("sets the port unless the user typed one", () => {
    const after = (port: string, before: unknown, protocol: string | null) =>
      portAfterProtocol(CONNECTORS, port, before, protocol, "443");
    expect(after("443", undefined, "redis")).toBe("6379");
    expect(after("", undefined, "redis")).toBe("6379");
    expect(after("6379", "redis", null)).toBe("443");
    expect(after("7000", "redis", "invented")).toBe("7000");
    expect(after("3389", undefined, "active-directory")).toBe("3389");
  });
});

describe("other parameters", () => {
  const stored: Params = {
    protocol: "redis",
    ca: "PEM",
    count: 3,
    isOn: true,
    none: null,
    script: { steps: [{ expect: ["a", "b"], send: "" }], empty: {} },
  };
  const fields = fieldsOf(CONNECTORS, APPLICATION, stored);
  const leafAt = (name: string) => leavesOf(stored, fields).find((leaf) => leafName(leaf) === name)!;

  test("are all values that no field shows", () => {
    expect(leavesOf(stored, fields).map((leaf) => [leafName(leaf), leafText(leaf)])).toEqual([
      ["count", "3"],
      ["isOn", "true"],
      ["none", "null"],
      ["script.steps[1].expect[1]", "a"],
      ["script.steps[1].expect[2]", "b"],
      ["script.steps[1].send", ""],
      ["script.empty", "(empty)"],
    ]);
  });

  test("keep their kind when edited, and leave everything else unchanged", () => {
    expect(withLeaf(stored, stored, leafAt("count"), "42")).toEqual({ ...stored, count: 42 });
    expect(withLeaf(stored, stored, leafAt("count"), "many")).toEqual({ ...stored, count: "many" });
    expect(withLeaf(stored, stored, leafAt("isOn"), "false")).toEqual({ ...stored, isOn: false });
    const script = { steps: [{ expect: ["a", "c"], send: "" }], empty: {} };
    expect(withLeaf(stored, stored, leafAt("script.steps[1].expect[2]"), "c")).toEqual({ ...stored, script });
  });

  test("removing the last value of an object removes the object", () => {
    expect(withoutLeaf(stored, leafAt("count"))).not.toHaveProperty("count");
    const one: Params = { a: { b: [{ c: 1 }] }, d: 2 };
    expect(withoutLeaf(one, leavesOf(one, [])[0]!)).toEqual({ d: 2 });
  });

  test("setting and clearing a field changes no other parameter", () => {
    const [field] = fieldsOf(CONNECTORS, APPLICATION, { protocol: "invented" });
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "realm" && key !== "__proto__"),
          fc.jsonValue(),
        ),
        (params) => {
          // As the server sends them: JSON has no -0.
          const before = JSON.parse(JSON.stringify(params)) as Params;
          const set = withParameter(before, field!, "north");
          expect(set).toEqual({ ...before, realm: "north" });
          expect(withParameter(set, field!, undefined)).toEqual(before);
          // Every value that is not shown can be edited, and typing the same text changes nothing.
          for (const leaf of leavesOf(before, [])) {
            if (leafText(leaf) !== "(empty)") expect(withLeaf(before, before, leaf, leafText(leaf))).toEqual(before);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

test("reports required and invalid parameters, but no stored value that was not edited", () => {
  const params: Params = { protocol: "invented", tries: 12 };
  const fields = fieldsOf(CONNECTORS, APPLICATION, params);
  expect([...parameterErrors(fields, params, {})]).toEqual([
    ["realm", "Realm is required"],
    ["tries", "Tries must be a number from 1 to 9"],
  ]);
  expect([...parameterErrors(fields, params, params).keys()]).toEqual(["realm"]);
});
