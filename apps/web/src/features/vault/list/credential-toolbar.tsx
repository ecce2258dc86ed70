// Search and type filter of the vault.
import { NativeSelect } from "@mantine/core";
import { useSearchParams } from "react-router";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { TYPE_FILTERS, withFilter } from "./credential-filter.ts";
import classes from "./credential-list-page.module.css";

export function CredentialToolbar({ count }: { count: string }) {
  const [params, setParams] = useSearchParams();
  const chooseType = (type: string) => setParams((before) => withFilter(before, "type", type), { replace: true });

  return (
    <div className={classes.toolbar} role="search" aria-label="Credentials">
      <AddressSearch label="Search credentials" placeholder="Search by name or username" />
      <NativeSelect
        className={classes.type}
        aria-label="Type"
        data={TYPE_FILTERS.map(({ value, label }) => ({ value, label }))}
        value={params.get("type") ?? ""}
        onChange={(event) => chooseType(event.currentTarget.value)}
      />
      <p className={classes.count} role="status">
        {count}
      </p>
    </div>
  );
}
