// Identity providers, as administrators configure them: a part of the Admin Console.
import { Button, Menu } from "@mantine/core";
import { IconBuilding, IconChevronDown, IconPlus, IconUserShield, IconWorldShare } from "@tabler/icons-react";
import { PROVIDER_KINDS, type IdentityProvider, type ProviderKind } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { providerList } from "./identity-providers.queries.ts";
import { ProviderCard, type ProviderDialog } from "./provider-card.tsx";
import { AddProviderDialog, DeleteProviderDialog, EditProviderDialog } from "./provider-dialogs.tsx";
import { KIND_LABELS } from "./provider-form-values.ts";
import { TestProviderDialog } from "./test-provider-dialog.tsx";
import classes from "./identity-providers.module.css";

const KIND_ICONS = { oidc: IconWorldShare, ldap: IconBuilding };

export function IdentityProvidersCard() {
  const list = useQuery(providerList);
  const [adding, setAdding] = useState<ProviderKind | null>(null);
  const [lastAdded, setLastAdded] = useState<ProviderKind>("oidc");
  const add = (kind: ProviderKind) => {
    setLastAdded(kind);
    setAdding(kind);
  };
  return (
    <SectionCard
      title="Sign-In Providers"
      description="Let users sign in with an external identity provider. Local passwords keep working"
      actions={<AddMenu onAdd={add} />}
    >
      <Loaded query={list} failureText="Failed to load the sign-in providers">
        {({ data }) => <Providers providers={data} />}
      </Loaded>
      <div key={lastAdded}>
        <AddProviderDialog kind={lastAdded} opened={adding !== null} onClose={() => setAdding(null)} />
      </div>
    </SectionCard>
  );
}

function AddMenu({ onAdd }: { onAdd: (kind: ProviderKind) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Add Provider
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {PROVIDER_KINDS.map((kind) => {
          const KindIcon = KIND_ICONS[kind];
          return (
            <Menu.Item key={kind} leftSection={<KindIcon size={16} aria-hidden />} onClick={() => onAdd(kind)}>
              {KIND_LABELS[kind]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

function Providers({ providers }: { providers: readonly IdentityProvider[] }) {
  const [dialog, setDialog] = useState<ProviderDialog | null>(null);
  const [chosen, setChosen] = useState<IdentityProvider | null>(null);
  const provider = providers.find(({ id }) => id === chosen?.id) ?? chosen;
  const propsOf = (which: ProviderDialog) => ({
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });
  return (
    <>
      {providers.length === 0 ? (
        <EmptyState
          icon={IconUserShield}
          title="No sign-in providers"
          text="Users sign in with their company account, and lose access here when they lose it there."
        />
      ) : (
        <div className={classes.list}>
          {providers.map((each) => (
            <ProviderCard
              key={each.id}
              provider={each}
              onOpen={(which, of) => {
                setChosen(of);
                setDialog(which);
              }}
            />
          ))}
        </div>
      )}
      {provider !== null && (
        <div key={provider.id}>
          <TestProviderDialog provider={provider} {...propsOf("test")} />
          <EditProviderDialog provider={provider} {...propsOf("edit")} />
          <DeleteProviderDialog provider={provider} {...propsOf("delete")} />
        </div>
      )}
    </>
  );
}
