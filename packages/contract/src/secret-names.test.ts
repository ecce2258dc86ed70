import assert from "node:assert/strict";
import { test } from "node:test";
import { NewCredential } from "./vault.ts";
import { holdsSecret } from "./secret-names.ts";

test("finds a secret in a connection string in every notation", () => {
  for (const text of [
    "postgresql://app:hunter2@db/main",
    "postgresql://db/main?password=hunter2",
    "postgresql://db/main?pwd=hunter2",
    "postgresql://db/main?sslmode=require&PassWord=hunter2",
    "sqlserver://db;databaseName=main;user=sa;password=hunter2",
    "https://api.example.com/check?access_token=hunter2",
    "https://api.example.com/check#api_key=hunter2",
    "https://store.example.com/x?sv=1&sig=hunter2",
  ]) {
    assert.equal(holdsSecret(text), true, text);
  }
});

test("a description of a connection is not a secret", () => {
  for (const value of [
    "postgresql://app@db:5432/main?sslmode=verify-full&application_name=strongroom",
    "sqlserver://db;databaseName=main;encrypt=true",
    { check_url: "https://api.example.com/me?page=1", header: "X-Api-Key", scheme: "Token", expect_status: [200, 204] },
    { protocol: "ssh", sslmode: "verify-ca", ca: "-----BEGIN CERTIFICATE-----" },
    { primary_contact: "key account manager", passive: true },
    { change_path: "/api/me", change_body: { current_password: "{old}", password: "{new}" } },
    { protocol: "ldaps", dn_template: "uid={username},ou=people,dc=example,dc=com", password_change: "modify" },
  ]) {
    assert.equal(holdsSecret(value), false, JSON.stringify(value));
  }
});

test("finds a secret among additional parameters by its name, at any depth", () => {
  for (const value of [
    { pwd: "x" },
    { headers: { Authorization: "Bearer x" } },
    { cookie: "x" },
    { change_body: { password: "{new}x" } },
    { nested: [{ "client-secret": "x" }] },
    { check_url: "https://u:p@api.example.com" },
  ]) {
    assert.equal(holdsSecret(value), true, JSON.stringify(value));
  }
});

test("CRED-34: refuses such a credential and says where the secret belongs", () => {
  const base = { name: "name", type: "api_token", value: "12345678" };
  const result = NewCredential.safeParse({ ...base, additional_params: { headers: { Authorization: "Bearer x" } } });
  assert.match(result.error?.issues[0]?.message ?? "", /put secrets in the secret field/);
});
