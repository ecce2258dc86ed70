// The platform and safe fields of the account form (ACC-52, ACC-55, ACC-56).
import { Anchor, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { systemTypeOf, type AccountFormControl } from "./account-form-values.ts";
import { activePlatforms, safesToAddTo } from "../accounts.queries.ts";

/** Platforms of the selected system type come first. */
export function PlatformField({ form }: { form: AccountFormControl }) {
  const { data, error } = useQuery(activePlatforms);
  const platforms = data?.platforms ?? [];
  const system = systemTypeOf(form.values.system);
  const choices = (isOfSystem: boolean) =>
    platforms
      .filter(({ system_type: type }) => (type === system) === isOfSystem)
      .map(({ id, name }) => ({ value: id, label: name }));
  const groups = [
    { group: "For this system type", items: choices(true) },
    { group: "For other systems", items: choices(false) },
  ].filter(({ items }) => items.length > 0);
  const field = form.getInputProps("platform_id");
  return (
    <Select
      label="Platform ID"
      required
      placeholder="Choose a platform"
      data={groups}
      searchable
      allowDeselect={false}
      nothingFoundMessage={data === undefined ? "Loading..." : "No matching platform"}
      description="Controls verification, rotation and access"
      {...field}
      error={field.error ?? (error === null ? undefined : messageOf(error))}
      value={field.value === "" ? null : field.value}
    />
  );
}

export function SafeField({ form }: { form: AccountFormControl }) {
  const { data, error } = useQuery(safesToAddTo);
  const safes = data?.safes ?? [];
  const field = form.getInputProps("safe_id");
  const isNone = data !== undefined && safes.length === 0;
  return (
    <Select
      label="Safe"
      required
      placeholder={isNone ? "No safe you can add accounts to" : "Choose a safe"}
      data={safes.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      allowDeselect={false}
      nothingFoundMessage={data === undefined ? "Loading..." : "No matching safe"}
      description={
        <>
          Controls who can use and manage the account.{" "}
          <Anchor component={Link} to={paths.safes} fz="inherit" underline="always">
            Create a safe first
          </Anchor>
        </>
      }
      {...field}
      error={field.error ?? (error === null ? undefined : messageOf(error))}
      value={field.value === "" ? null : field.value}
    />
  );
}
