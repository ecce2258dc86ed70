// The filters of the list: search (ACC-07), system type, last validation, and the safe preselected by a link.
import { Button, NativeSelect } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { ACCOUNT_VALIDATION_OF, SYSTEM_TYPES, VERIFICATION_LABELS, VERIFICATION_STATUSES } from "@strongroom/contract";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { systemTypeLabel } from "../account-labels.ts";
import classes from "./accounts-page.module.css";

const SYSTEMS = [
  { value: "", label: "All systems" },
  ...SYSTEM_TYPES.map((type) => ({ value: type, label: systemTypeLabel(type) })),
];
const VALIDATIONS = [
  { value: "", label: "Any validation" },
  ...VERIFICATION_STATUSES.map((status) => ({
    value: ACCOUNT_VALIDATION_OF[status],
    label: VERIFICATION_LABELS[status],
  })),
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
              Only this {part}
            </Button>
          ),
      )}
    </div>
  );
}
