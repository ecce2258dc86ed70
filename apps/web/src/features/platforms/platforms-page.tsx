// The platforms page of the Admin Console: administrators edit platforms, all other users view them.
import { Button, NativeSelect } from "@mantine/core";
import { IconPlus, IconSearchOff, IconSettingsCog } from "@tabler/icons-react";
import type { Platform } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { withParam, searchOf } from "#shared/format/address.ts";
import { useUser } from "#shared/session/session-store.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { CreatePlatformDialog, DeletePlatformDialog, EditPlatformDialog } from "./platform-dialogs.tsx";
import { PlatformTable, type PlatformDialog } from "./platform-table.tsx";
import { bySystem, systemLabel } from "./platform-labels.ts";
import { platformList } from "./platforms.queries.ts";
import classes from "./platforms.module.css";

interface PlatformFilter {
  search: string;
  /** Empty shows every system type. */
  system: string;
}

export default function PlatformsPage() {
  const canManage = useUser().role === "admin";
  const list = useQuery(platformList);
  const [isCreating, setIsCreating] = useState(false);
  const createButton = canManage && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      Create Platform
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Platforms"
        subtitle="How the accounts of each system are verified, rotated and accessed"
        actions={createButton}
      />
      <Loaded query={list} failureText="Failed to load platforms">
        {({ platforms }) =>
          platforms.length === 0 ? (
            <EmptyState
              icon={IconSettingsCog}
              title="No platforms found"
              text="Every account follows the policy of its platform. Create the first platform."
              action={createButton}
            />
          ) : (
            <Platforms platforms={platforms} canManage={canManage} />
          )
        }
      </Loaded>
      <CreatePlatformDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}

function Platforms({ platforms, canManage }: { platforms: readonly Platform[]; canManage: boolean }) {
  const [params, setParams] = useSearchParams();
  const shown = matching(platforms, filterOf(params));
  const [dialog, setDialog] = useState<PlatformDialog | null>(null);
  const [chosen, setChosen] = useState<Platform | null>(null);
  const platform = platforms.find(({ id }) => id === chosen?.id) ?? chosen;
  const open = (which: PlatformDialog, of: Platform) => {
    setChosen(of);
    setDialog(which);
  };
  const propsOf = (which: PlatformDialog) => ({
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });

  return (
    <>
      <Toolbar systems={bySystem(platforms).map(({ system }) => system)} />
      {shown.length === 0 && (
        <EmptyState
          icon={IconSearchOff}
          title="No platforms found"
          text="No platforms match your search."
          action={
            <Button variant="default" onClick={() => setParams({})}>
              Clear Search and Filter
            </Button>
          }
        />
      )}
      {shown.length > 0 && (
        <PlatformTable
          platforms={bySystem(shown).flatMap(({ platforms: ofSystem }) => ofSystem)}
          onOpen={canManage ? open : null}
        />
      )}
      {platform !== null && (
        <div key={platform.id}>
          <EditPlatformDialog platform={platform} {...propsOf("edit")} />
          <CreatePlatformDialog of={platform} {...propsOf("duplicate")} />
          <DeletePlatformDialog platform={platform} {...propsOf("delete")} />
        </div>
      )}
    </>
  );
}

function Toolbar({ systems }: { systems: readonly Platform["system_type"][] }) {
  const [params, setParams] = useSearchParams();
  const choose = (system: string) => setParams((before) => withParam(before, "system", system), { replace: true });
  return (
    <div className={classes.toolbar} role="search" aria-label="Platforms">
      <AddressSearch label="Search platforms" placeholder="Search platforms by name" />
      <NativeSelect
        className={classes.choice}
        aria-label="System"
        data={[{ value: "", label: "All systems" }, ...systems.map((value) => ({ value, label: systemLabel(value) }))]}
        value={params.get("system") ?? ""}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </div>
  );
}

const filterOf = (params: URLSearchParams): PlatformFilter => ({
  search: searchOf(params) ?? "",
  system: params.get("system") ?? "",
});

function matching(platforms: readonly Platform[], { search, system }: PlatformFilter): Platform[] {
  const wanted = search.toLowerCase();
  return platforms.filter(
    ({ name, description, system_type: type }) =>
      (system === "" || type === system) && `${name}\n${description ?? ""}`.toLowerCase().includes(wanted),
  );
}
