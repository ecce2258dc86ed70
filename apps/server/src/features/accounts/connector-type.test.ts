// Tests the choice of an account's connector, and its default port.
import { CONNECTION_METHODS, CredentialType, SYSTEM_TYPES, credentialTypeOf, usualPort } from "@strongroom/contract";
import { connectorFor } from "@strongroom/connectors";
import assert from "node:assert/strict";
import { test } from "node:test";

test("every combination of system and connection method has exactly one type of stored secret", () => {
  for (const system of SYSTEM_TYPES)
    for (const method of CONNECTION_METHODS) CredentialType.parse(credentialTypeOf(system, method));
  assert.equal(credentialTypeOf("Linux", "SSH"), "server");
  assert.equal(credentialTypeOf("Unix/AIX", "SFTP"), "server");
  assert.equal(credentialTypeOf("Windows", "RDP"), "application");
  for (const system of ["oracle", "mssql", "mysql", "postgresql", "mongodb"] as const)
    assert.equal(credentialTypeOf(system, "SQL"), system);
});

test("ACC-71: databases get their default port", () => {
  const ports = { mysql: 3306, postgresql: 5432, mssql: 1433, oracle: 1521, mongodb: 27017 } as const;
  for (const [system, port] of Object.entries(ports)) assert.equal(usualPort(system as "mysql", "SQL"), port);
  assert.equal(usualPort("Linux", "SSH"), 22);
  assert.equal(usualPort("Windows", "RDP"), 3389);
  assert.equal(usualPort("Application", "Custom"), null);
});

test("a domain account on Windows is verified at its domain controller, whatever its connection method", () => {
  for (const method of ["RDP", "WinRM", "SSH", "Custom"] as const) {
    const connector = connectorFor({
      type: credentialTypeOf("Windows", method),
      host: "desktop7",
      port: usualPort("Windows", method),
      username: "alice",
      connectionString: null,
      additionalParams: { protocol: "active-directory", domain: "corp.example", directory_server: "dc1.corp.example" },
    });
    assert.equal(connector.id, "active-directory");
  }
});

test("Telnet and WinRM find their connectors by the default ports, and RDP has no connector", () => {
  const idOf = (system: "Windows" | "Network Device", method: "Telnet" | "WinRM" | "PowerShell" | "RDP") =>
    connectorFor({
      type: credentialTypeOf(system, method),
      host: "host7",
      port: usualPort(system, method),
      username: "admin",
      connectionString: null,
      additionalParams: {},
    }).id;
  assert.equal(idOf("Network Device", "Telnet"), "network-device");
  assert.equal(idOf("Windows", "WinRM"), "winrm");
  assert.equal(idOf("Windows", "PowerShell"), "winrm");
  assert.equal(idOf("Windows", "RDP"), "unsupported");
});
