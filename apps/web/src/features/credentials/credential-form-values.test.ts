import { DEFAULT_PORTS, type CredentialType } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import {
  EMPTY_FORM,
  INVALID_JSON,
  NOT_AN_OBJECT,
  checkForm,
  editPayloadOf,
  formOf,
  newPayloadOf,
  payloadOf,
  portAfterType,
  type CredentialFormValues,
} from "./credential-form-values.ts";
import { aCredential } from "./testing/a-credential.ts";

const filled = (given: Partial<CredentialFormValues> = {}): CredentialFormValues => ({
  ...EMPTY_FORM,
  name: "Orders database",
  value: "correct horse battery",
  ...given,
});

const database = (given: Partial<CredentialFormValues> = {}) =>
  filled({ type: "postgresql", database_name: "orders", schema_name: "public", ...given });

describe("what the credential form refuses", () => {
  test("nothing of a form that is filled in", () => {
    expect(checkForm(filled(), "add")).toEqual({});
    expect(checkForm(database(), "add")).toEqual({});
  });

  test.each(["", "ab", "a".repeat(101)])("CRED-26: a name of 3 to 100 characters is required, not %j", (name) => {
    expect(checkForm(filled({ name }), "add").name).toBe("Name must be 3 to 100 characters");
  });

  test.each(["abc", "a".repeat(100)])("CRED-26: %j is a name", (name) => {
    expect(checkForm(filled({ name }), "add")).toEqual({});
  });

  test("CRED-27: a type is required", () => {
    expect(checkForm(filled({ type: "" as CredentialType }), "add").type).toBeDefined();
  });

  test("CRED-28: a username may be left out, else it has 2 to 50 characters", () => {
    expect(checkForm(filled({ username: "" }), "add")).toEqual({});
    expect(checkForm(filled({ username: "ab" }), "add")).toEqual({});
    expect(checkForm(filled({ username: "a" }), "add").username).toBe("Username must be 2 to 50 characters");
    expect(checkForm(filled({ username: "a".repeat(51) }), "add").username).toBeDefined();
  });

  test.each(["0", "65536", "-1", "22.5", "ssh"])("CRED-29: %s is no port", (port) => {
    expect(checkForm(filled({ port }), "add").port).toBe("Port must be between 1 and 65535");
  });

  test.each(["", "1", "65535"])("CRED-29: the port may be %j", (port) => {
    expect(checkForm(filled({ port }), "add")).toEqual({});
  });

  test("CRED-30: a secret of at least 8 characters is required", () => {
    expect(checkForm(filled({ value: "1234567" }), "add").value).toBe("Password/secret must be at least 8 characters");
    expect(checkForm(filled({ value: "" }), "add").value).toBeDefined();
    expect(checkForm(filled({ value: "12345678" }), "add")).toEqual({});
  });

  test("an edit may leave the secret out, but not make it too short", () => {
    expect(checkForm(filled({ value: "" }), "edit")).toEqual({});
    expect(checkForm(filled({ value: "short" }), "edit").value).toBeDefined();
  });

  test("CRED-31: the environment is one of development, staging, production", () => {
    const environment = "test" as CredentialFormValues["environment"];
    expect(checkForm(filled({ environment }), "add").environment).toBeDefined();
  });

  test.each(["database", "mysql", "postgresql", "mssql", "oracle", "mongodb"] as const)(
    "CRED-25, CRED-32: %s needs a database name",
    (type) => {
      expect(checkForm(database({ type, database_name: "" }), "add").database_name).toBe("Database name is required");
    },
  );

  test.each(["postgresql", "oracle"] as const)("CRED-33: %s needs a schema name too", (type) => {
    expect(checkForm(database({ type, schema_name: "" }), "add").schema_name).toBe("Schema name is required");
  });

  test("CRED-33: the others need none", () => {
    expect(checkForm(database({ type: "mysql", schema_name: "" }), "add")).toEqual({});
  });

  test("CRED-38: a connection string may name the database", () => {
    const values = database({ database_name: "", connection_string: "postgresql://db01.internal/orders" });
    expect(checkForm(values, "add")).toEqual({});
  });

  test("OPEN-82: a connection string looks like scheme://…, and an unreadable one is an error, not a crash", () => {
    expect(checkForm(database({ connection_string: "db01.internal" }), "add").connection_string).toBeDefined();
    expect(checkForm(database({ connection_string: "postgresql://[broken" }), "add").connection_string).toBeDefined();
  });

  test("a password in a connection string belongs in the secret field", () => {
    const connection_string = "postgresql://app:hunter2222@db01.internal/orders";
    expect(checkForm(database({ connection_string }), "add").connection_string).toMatch(/secret field/);
  });

  test("CRED-34: additional parameters must be valid JSON", () => {
    expect(checkForm(database({ additional_params: "{" }), "add").additional_params).toBe(INVALID_JSON);
    expect(checkForm(database({ additional_params: "[1]" }), "add").additional_params).toBe(NOT_AN_OBJECT);
    expect(checkForm(database({ additional_params: "null" }), "add").additional_params).toBe(NOT_AN_OBJECT);
    expect(checkForm(database({ additional_params: '{"sslmode":"require"}' }), "add")).toEqual({});
  });

  test("additional parameters are not encrypted, so a secret among them is refused", () => {
    const additional_params = '{"password":"hunter2222"}';
    expect(checkForm(database({ additional_params }), "add").additional_params).toMatch(/not encrypted/);
  });
});

describe("what the credential form sends", () => {
  test("CRED-09: the fields of the create payload, and OPEN-47: the environment", () => {
    const sent = newPayloadOf(
      database({
        username: " app_owner ",
        host: "db01.internal",
        port: "5432",
        environment: "staging",
        connection_string: "postgresql://db01.internal:5432/orders",
        ssl_enabled: true,
        additional_params: '{"sslmode":"verify-full"}',
      }),
    );
    expect(sent).toEqual({
      name: "Orders database",
      type: "postgresql",
      value: "correct horse battery",
      username: "app_owner",
      host: "db01.internal",
      port: "5432",
      environment: "staging",
      database_name: "orders",
      schema_name: "public",
      connection_string: "postgresql://db01.internal:5432/orders",
      ssl_enabled: true,
      additional_params: { sslmode: "verify-full" },
    });
  });

  test("CRED-37, OPEN-51: empty optional fields are null, empty parameters {}, SSL false", () => {
    expect(payloadOf(filled({ username: "  ", additional_params: " " }))).toMatchObject({
      username: null,
      host: null,
      port: null,
      database_name: null,
      schema_name: null,
      connection_string: null,
      ssl_enabled: false,
      additional_params: {},
    });
  });

  test("database fields that were typed before another type was chosen are not sent", () => {
    expect(payloadOf(database({ type: "password", ssl_enabled: true }))).toMatchObject({
      database_name: null,
      schema_name: null,
      ssl_enabled: false,
    });
    expect(payloadOf(database({ type: "mysql" })).schema_name).toBeNull();
  });

  test("an edit sends the secret only when there is a new one", () => {
    expect(editPayloadOf(filled({ value: "" }))).not.toHaveProperty("value");
    expect(editPayloadOf(filled({ value: "a new secret" }))).toHaveProperty("value", "a new secret");
  });

  test("a stored credential goes through the form unchanged, and its secret is not in it", () => {
    const credential = aCredential({ additional_params: { sslmode: "require" }, ssl_enabled: true, username: null });
    const form = formOf(credential);
    expect(form.value).toBe("");
    expect(payloadOf(form)).toMatchObject({
      name: credential.name,
      username: null,
      host: credential.host,
      port: "5432",
      database_name: "orders",
      additional_params: { sslmode: "require" },
      ssl_enabled: true,
    });
  });
});

describe("the port that a type brings along", () => {
  test.each([
    ["mysql", 3306],
    ["postgresql", 5432],
    ["mssql", 1433],
    ["oracle", 1521],
    ["mongodb", 27017],
  ] as const)("CRED-35: choosing %s prefills %i", (type, port) => {
    expect(portAfterType("", "password", type)).toBe(String(port));
    expect(DEFAULT_PORTS[type]).toBe(port);
  });

  test("a prefilled port makes way for the next type's, or for none", () => {
    expect(portAfterType("3306", "mysql", "postgresql")).toBe("5432");
    expect(portAfterType("3306", "mysql", "password")).toBe("");
  });

  test("a port that somebody typed stays", () => {
    expect(portAfterType("3307", "mysql", "postgresql")).toBe("3307");
  });
});
