// The menu of the accounts page: select multiple, import and export.
import { ActionIcon, Menu } from "@mantine/core";
import { IconChecks, IconDots, IconDownload, IconUpload } from "@tabler/icons-react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { accountExport } from "../accounts.queries.ts";
import type { AccountFilter } from "../list/account-filter.ts";

export interface AccountMenuProps {
  /** The export contains what this filter shows. */
  filter: AccountFilter;
  canSelect: boolean;
  onSelect: () => void;
  onImport: () => void;
}

export function AccountMenu({ filter, canSelect, onSelect, onImport }: AccountMenuProps) {
  const exporting = useMutation(accountExport(filter));
  const save = () =>
    exporting.mutate(undefined, {
      onSuccess: () => toast.success("Accounts exported without passwords"),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to export accounts" }),
    });
  return (
    // Rendered inside the page's landmarks, without Mantine's focus placeholder, which is not a menu item.
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="More actions" loading={exporting.isPending}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconChecks size={16} aria-hidden />} onClick={onSelect} disabled={!canSelect}>
          Select Multiple
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUpload size={16} aria-hidden />} onClick={onImport}>
          Import from CSV
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
          Export as CSV
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
