// What narrows the list: the search of ACC-07, the kind of system, the last validation, and the safe one came from.
import { Button, NativeSelect } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { ACCOUNT_VALIDATION_STATUSES, SYSTEM_TYPES } from "@strongroom/contract";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { VALIDATION_BADGES, systemTypeLabel } from "./account-words.ts";
import classes from "./accounts-page.module.css";

const SYSTEMS = [
  { value: "", label: "All systems" },
  ...SYSTEM_TYPES.map((type) => ({ value: type, label: systemTypeLabel(type) })),
];
const VALIDATIONS = [
  { value: "", label: "Any validation" },
  ...ACCOUNT_VALIDATION_STATUSES.map((status) => ({ value: status, label: VALIDATION_BADGES[status].label })),
];

export function AccountToolbar() {
  const [params, setParams] = useSearchParams();
  const narrow = (part: string, value: string) =>
    setParams((before) => withParam(before, part, value), { replace: true });
  return (
    <div className={classes.toolbar} role="search" aria-label="Accounts">
      <AddressSearch label="Search accounts" placeholder="Search accounts..." />
      <NativeSelect
        className={classes.choice}
        aria-label="System"
        data={SYSTEMS}
        value={params.get("system") ?? ""}
        onChange={(event) => narrow("system", event.currentTarget.value)}
      />
      <NativeSelect
        className={classes.choice}
        aria-label="Validation"
        data={VALIDATIONS}
        value={params.get("validation") ?? ""}
        onChange={(event) => narrow("validation", event.currentTarget.value)}
      />
      {["safe", "platform"].map(
        (part) =>
          params.get(part) !== null && (
            <Button
              key={part}
              variant="light"
              size="sm"
              rightSection={<IconX size={14} aria-hidden />}
              onClick={() => narrow(part, "")}
            >
              Only one {part}
            </Button>
          ),
      )}
    </div>
  );
}
