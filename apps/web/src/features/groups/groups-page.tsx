// The groups page of the Admin Console: administrators edit groups, managers only view them.
import { Button } from "@mantine/core";
import { IconLock, IconPlus, IconSearchOff, IconUsersGroup } from "@tabler/icons-react";
import type { Group } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { searchOf } from "#shared/format/address.ts";
import { useUser } from "#shared/session/session-store.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { ItemGrid } from "#shared/ui/item-grid.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { GroupCard, type GroupDialog } from "./group-card.tsx";
import { CreateGroupDialog, DeleteGroupDialog, EditGroupDialog } from "./group-dialogs.tsx";
import { GroupPeopleDialog } from "./group-people-dialog.tsx";
import { groupList } from "./groups.queries.ts";
import classes from "./groups.module.css";

export default function GroupsPage() {
  const { role } = useUser();
  const [isCreating, setIsCreating] = useState(false);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      Create Group
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Groups"
        subtitle="People who share access to safes. Teams and departments also see each other's safes"
        actions={role === "admin" ? createButton : undefined}
      />
      {role === "user" ? (
        <EmptyState icon={IconLock} title="Only managers and administrators can see groups." />
      ) : (
        <Groups canManage={role === "admin"} createButton={createButton} />
      )}
      <CreateGroupDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}

function Groups({ canManage, createButton }: { canManage: boolean; createButton: React.ReactNode }) {
  const [params, setParams] = useSearchParams();
  const search = searchOf(params);
  const list = useInfiniteQuery({ ...groupList(search), placeholderData: keepPreviousData });
  const groups = list.data?.pages.flatMap((page) => page.groups) ?? [];
  const [dialog, setDialog] = useState<GroupDialog | null>(null);
  const [chosen, setChosen] = useState<Group | null>(null);
  const group = groups.find(({ id }) => id === chosen?.id) ?? chosen;
  const open = (which: GroupDialog, of: Group) => {
    setChosen(of);
    setDialog(which);
  };
  const propsOf = (which: GroupDialog) => ({
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });

  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Groups">
        <AddressSearch label="Search groups" placeholder="Search groups by name" />
      </div>
      <Loaded query={list} failureText="Failed to load groups">
        {() => {
          if (groups.length === 0) {
            return search === undefined ? (
              <EmptyState
                icon={IconUsersGroup}
                title="No groups found"
                text="Add many people to a safe, or remove them from it, in one step."
                action={canManage ? createButton : undefined}
              />
            ) : (
              <EmptyState
                icon={IconSearchOff}
                title="No groups found"
                text="No group matches your search."
                action={
                  <Button variant="default" onClick={() => setParams({})}>
                    Clear Search
                  </Button>
                }
              />
            );
          }
          return (
            <>
              <ItemGrid label="Groups" items={groups} {...nextPageOf(list)}>
                {(each) => <GroupCard group={each} canManage={canManage} onOpen={open} />}
              </ItemGrid>
              {list.isFetchNextPageError && <LoadMore of={list} />}
            </>
          );
        }}
      </Loaded>
      {group !== null && (
        <div key={group.id}>
          <GroupPeopleDialog group={group} canManage={canManage} {...propsOf("people")} />
          <EditGroupDialog group={group} {...propsOf("edit")} />
          <DeleteGroupDialog group={group} {...propsOf("delete")} />
        </div>
      )}
    </>
  );
}
