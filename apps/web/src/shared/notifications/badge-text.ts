// The number on the bell (NOTIF-02).

const MOST = 99;

/** Empty for zero, "99+" above 99. */
export const badgeText = (unread: number): string => (unread > MOST ? `${MOST}+` : unread > 0 ? String(unread) : "");
