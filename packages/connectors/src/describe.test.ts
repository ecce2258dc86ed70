// Tests that the descriptions from which forms are generated are complete and valid, and include every documented
// parameter.
import { ConnectorDescription, describedConnector, parameterSchema, parametersFor } from "@strongroom/contract";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aTarget } from "../testing/factories.ts";
import { describeConnector } from "./describe.ts";
import { connectorFor, connectors } from "./registry.ts";

const descriptions = connectors.map(describeConnector);

test("every description fits the contract's schema, and names no field twice", () => {
  for (const description of descriptions) {
    assert.deepEqual(ConnectorDescription.parse(description), description);
    for (const protocol of [undefined, ...description.protocols.map(({ value }) => value)]) {
      const names = parametersFor(description, protocol).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, `${description.id}: ${names.join(", ")}`);
    }
  }
});

test("no two connectors claim the same protocol, scheme, port or type", () => {
  for (const claims of [
    descriptions.flatMap(({ protocols }) => protocols.map(({ value }) => value)),
    descriptions.flatMap(({ schemes }) => schemes),
    descriptions.flatMap(({ types }) => types),
    connectors.flatMap(({ ports = [] }) => ports.map(String)),
  ]) {
    assert.equal(new Set(claims).size, claims.length, claims.join(", "));
  }
});

test("docs/connectors.md and the descriptions have the same additional parameters", () => {
  const doc = readFileSync(join(import.meta.dirname, "../../../docs/connectors.md"), "utf8");
  const table = doc.slice(doc.indexOf("| Parameter | For |")).split("\n\n")[0] ?? "";
  const rows = table.split("\n").slice(2);
  const documented = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const described = descriptions.flatMap(({ parameters }) => parameters.map(({ name }) => name.split(".")[0]));
  assert.deepEqual(new Set(documented), new Set(["protocol", ...described]));
});

test("a form shows the parameters of the connector that the registry chooses", () => {
  for (const { id, protocols, types } of descriptions) {
    for (const type of types.filter((each) => each !== "api_token")) {
      const target = aTarget({ type, host: "web1", username: "root" });
      assert.equal(describedConnector(descriptions, { type, connection_string: null, protocol: undefined })?.id, id);
      assert.equal(connectorFor(target).id, id);
    }
    for (const { value } of protocols) {
      for (const type of ["password", "server", "application", "api"]) {
        const additionalParams = { protocol: value.toUpperCase() };
        const target = aTarget({ type, host: "web1", username: "root", additionalParams });
        const choice = { type, connection_string: null, ...additionalParams };
        assert.equal(describedConnector(descriptions, choice)?.id, id);
        assert.equal(connectorFor(target).id, id);
      }
    }
  }
  const choice = { type: "database", connection_string: "rediss://cache1", protocol: undefined };
  assert.equal(describedConnector(descriptions, choice)?.id, "redis");
  assert.equal(describedConnector(descriptions, { ...choice, connection_string: null }), null);
});

test("the schema of a parameter accepts valid values and explains why it rejects others", () => {
  const schemaOf = (connector: string, name: string) => {
    const parameters = descriptions.find(({ id }) => id === connector)?.parameters ?? [];
    const parameter = parameters.find((each) => each.name === name);
    assert.ok(parameter, `${connector} has ${name}`);
    return parameterSchema(parameter);
  };
  const port = schemaOf("rabbitmq", "management_port");
  for (const good of [undefined, 15_672, "15672"]) assert.ok(port.safeParse(good).success);
  for (const bad of [0, "x", "70000", 1.5, true]) {
    assert.equal(port.safeParse(bad).error?.issues[0]?.message, "Management port must be a number from 1 to 65535");
  }
  const server = schemaOf("active-directory", "directory_server");
  for (const good of ["dc1.corp.example", "[fd00::1]:636", "10.0.0.1"]) assert.ok(server.safeParse(good).success);
  for (const bad of ["ldaps://dc1", "dc1 dc2", ""]) assert.ok(!server.safeParse(bad).success);
  assert.ok(schemaOf("http-login", "expect_status").safeParse(204).success, "a status may be stored as a number");
  const url = { kind: "text", name: "u", label: "URL", is_required: true } as const;
  assert.equal(parameterSchema(url).safeParse(undefined).error?.issues[0]?.message, "URL is required");
});
