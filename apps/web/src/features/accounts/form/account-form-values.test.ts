import {
  ACCOUNT_DETAIL_NAMES,
  CONNECTION_METHODS,
  NewAccount,
  SYSTEM_TYPE_OPTIONS,
  recordOf,
  type ParameterField,
} from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import {
  EMPTY_FORM,
  URI_RULE,
  afterSystem,
  protocolAfter,
  checkForm,
  editPayloadOf,
  formOf,
  newPayloadOf,
  type AccountFormValues,
} from "./account-form-values.ts";
import { TEST_PLATFORM, TEST_SAFE, anAccount } from "../testing/an-account.ts";

const filled = (given: Partial<AccountFormValues> = {}): AccountFormValues => ({
  ...EMPTY_FORM,
  name: " root on web1 ",
  hostname: "web1",
  username: "root",
  password: "a known secret",
  platform_id: TEST_PLATFORM,
  safe_id: TEST_SAFE,
  ...given,
});
const MANAGEMENT_PORT: ParameterField = {
  kind: "number",
  name: "management_port",
  label: "Management port",
  min: 1,
  max: 65_535,
};
const postgresql = (given: Partial<AccountFormValues> = {}) =>
  filled({ system: "postgresql", database_name: "orders", schema_name: "public", ...given });

describe("validation of the account form", () => {
  test.each([
    ["ACC-60", filled({ name: " " }), "name", "Account name is required"],
    ["ACC-61", filled({ hostname: "" }), "hostname", "Hostname/IP is required"],
    ["ACC-62", filled({ username: "" }), "username", "Username is required"],
    ["ACC-63", filled({ password: "" }), "password", "Password is required"],
    ["ACC-64", filled({ platform_id: "" }), "platform_id", "Platform ID is required"],
    ["ACC-65", filled({ safe_id: "" }), "safe_id", "Please select a safe for this account"],
    [
      "ACC-67",
      postgresql({ database_name: "" }),
      "database_name",
      "Database name is required for database connections",
    ],
    [
      "ACC-68",
      postgresql({ schema_name: "" }),
      "schema_name",
      "Schema name is required for PostgreSQL and Oracle databases",
    ],
    ["ACC-70", postgresql({ connection_string: "db01 orders" }), "connection_string", URI_RULE],
    ["OPEN-81", filled({ port: "70000" }), "port", "Port must be between 1 and 65535"],
  ] as const)("%s: reports the broken rule (%#)", (_row, values, field, message) =>
    expect(checkForm(values, "create")).toEqual({ [field]: message }),
  );

  test("ACC-58: reports only the first broken rule, in the specified order", () => {
    const order = ["name", "hostname", "username", "password", "platform_id", "safe_id"] as const;
    let values: AccountFormValues = {
      ...EMPTY_FORM,
      system: "postgresql",
      additional_params: { management_port: "x" },
      connection_string: "no uri",
      port: "x",
    };
    const told: string[] = [];
    const errors = () => Object.keys(checkForm(values, "create", { fields: [MANAGEMENT_PORT], stored: {} }));
    for (let field = errors()[0]; field !== undefined; field = errors()[0]) {
      told.push(field);
      const [name = ""] = field.split(".");
      values = { ...values, [name]: { additional_params: {}, connection_string: "", port: "" }[name] ?? "x" };
    }
    const parameter = "additional_params.management_port";
    expect(told).toEqual([...order, "database_name", "schema_name", parameter, "connection_string", "port"]);
  });

  test("ACC-66, ACC-67: only database types require a database name", () => {
    expect(checkForm(filled({ connection_string: "x" }), "create")).toEqual({});
    for (const system of ["mysql", "mssql", "mongodb", "mariadb"] as const) {
      expect(checkForm(filled({ system }), "create")).toHaveProperty("database_name");
      expect(checkForm(filled({ system, database_name: "x" }), "create")).toEqual({});
    }
  });

  test("ACC-69: reports a described parameter with an invalid value", () => {
    const values = filled({ additional_params: { protocol: "rabbitmq", management_port: "x" } });
    const message = "Management port must be a number from 1 to 65535";
    expect(checkForm(values, "create", { fields: [MANAGEMENT_PORT], stored: {} })).toEqual({
      "additional_params.management_port": message,
    });
    // A stored value that was not edited does not prevent the account from being saved.
    expect(checkForm(values, "edit", { fields: [MANAGEMENT_PORT], stored: values.additional_params })).toEqual({});
  });

  test("ACC-75: offers the connection methods in the specified order, with RDP preselected", () => {
    const offered = "RDP, SSH, SQL, HTTPS, HTTP, SFTP, Telnet, VNC, PowerShell, WinRM, Custom";
    expect(CONNECTION_METHODS.join(", ")).toBe(offered);
    expect(EMPTY_FORM.connection_method).toBe("RDP");
  });

  test("accepts a password of any length", () => expect(checkForm(filled({ password: "x" }), "create")).toEqual({}));

  test("an edit may leave the password empty", () => expect(checkForm(filled({ password: "" }), "edit")).toEqual({}));
});

describe("choosing a system type", () => {
  test.each([
    ["mysql", "3306"],
    ["mariadb", "3306"],
    ["postgresql", "5432"],
    ["mssql", "1433"],
    ["oracle", "1521"],
    ["mongodb", "27017"],
  ] as const)("ACC-71, ACC-72: %s sets port %s and SQL", (system, port) =>
    expect(afterSystem(filled({ port: "22", connection_method: "SSH" }), system)).toEqual({
      system,
      port,
      connection_method: "SQL",
    }),
  );

  test("OPEN-77: sets the system's default method and port", () => {
    expect(afterSystem(filled(), "Linux")).toEqual({ system: "Linux", port: "22", connection_method: "SSH" });
    const database = { ...filled(), ...afterSystem(filled(), "mysql") };
    expect(afterSystem(database, "Linux")).toEqual({ system: "Linux", port: "22", connection_method: "SSH" });
    const linux = { ...filled(), ...afterSystem(filled(), "Linux") };
    expect(afterSystem(linux, "Windows")).toEqual({ system: "Windows", port: "3389", connection_method: "RDP" });
  });

  test("keeps a typed port and a chosen method", () => {
    const typed = filled({ port: "2222", connection_method: "Custom" });
    expect(afterSystem(typed, "Linux")).toEqual({ system: "Linux", port: "2222", connection_method: "Custom" });
    const database = { ...filled(), ...afterSystem(filled(), "mysql"), port: "3307" };
    expect(afterSystem(database, "Linux").port).toBe("3307");
  });

  test("a cloud sets its address and protocol, unless others were chosen", () => {
    const aws = { ...filled({ hostname: "" }), ...afterSystem(filled({ hostname: "" }), "AWS") };
    expect(aws).toMatchObject({ hostname: "", port: "443", connection_method: "HTTPS" });
    expect(protocolAfter(filled(), "AWS")).toBe("aws-iam");
    const chosen = { ...aws, additional_params: { protocol: "aws-iam" } };
    expect(afterSystem(chosen, "Azure").hostname).toBe("login.microsoftonline.com");
    expect(protocolAfter(chosen, "Azure")).toBe("azure");
    expect([afterSystem(chosen, "Linux").hostname, protocolAfter(chosen, "Linux")]).toEqual(["", null]);
    const azure = { ...chosen, ...afterSystem(chosen, "Azure") };
    expect(afterSystem(azure, "AWS").hostname).toBe("");
    expect(afterSystem({ ...chosen, hostname: "aws.example" }, "Azure").hostname).toBeUndefined();
    expect(protocolAfter({ ...chosen, additional_params: { protocol: "winrm" } }, "Azure")).toBeUndefined();
    expect(protocolAfter(filled(), "Linux")).toBeUndefined();
  });

  test("ACC-74: offers MariaDB and sends it as mysql", () => {
    expect(SYSTEM_TYPE_OPTIONS.filter(({ value }) => value === "mysql").map(({ label }) => label)).toEqual([
      "MySQL",
      "MariaDB",
    ]);
    expect(newPayloadOf(filled({ system: "mariadb", database_name: "x" })).system_type).toBe("mysql");
  });
});

describe("the payload of the account form", () => {
  test("ACC-57: contains every field, with the name trimmed, the port as text and the parameters as an object", () => {
    const sent = newPayloadOf(postgresql({ port: "5432", additional_params: { a: 1 }, ssl_enabled: true }));
    expect(sent).toEqual({
      name: "root on web1",
      system_type: "postgresql",
      hostname: "web1",
      port: "5432",
      username: "root",
      password: "a known secret",
      notes: "",
      tags: [],
      ...recordOf(ACCOUNT_DETAIL_NAMES, () => ""),
      platform_id: TEST_PLATFORM,
      safe_id: TEST_SAFE,
      connection_method: "RDP",
      database_name: "orders",
      schema_name: "public",
      connection_string: "",
      ssl_enabled: true,
      additional_params: { a: 1 },
    });
    expect(NewAccount.safeParse(sent).success).toBe(true);
    expect(newPayloadOf(filled()).additional_params).toEqual({});
  });

  test("keeps the parameters of other system types, because verification uses them", () => {
    const additional_params = { protocol: "active-directory", directory_server: "dc1.corp.example" };
    const stored = formOf(anAccount({ system_type: "Windows", additional_params }));
    expect(editPayloadOf(stored).additional_params).toEqual(additional_params);
  });

  test("an edit sends every detail of the account back", () => {
    const details = recordOf(ACCOUNT_DETAIL_NAMES, (name) => `a value of ${name}`);
    expect(editPayloadOf(formOf(anAccount(details)))).toMatchObject(details);
  });

  test("an edit sends the secret only when there is a new one, and never the safe", () => {
    const stored = formOf(anAccount({ name: "x" }));
    expect(editPayloadOf(stored)).not.toHaveProperty("password");
    expect(editPayloadOf(stored)).not.toHaveProperty("safe_id");
    expect(editPayloadOf({ ...stored, password: "new" })).toHaveProperty("password", "new");
  });
});
