/** Settings of external calendars. */
export const calendars = {
  calendars: {
    title: "Calendars",
    admins: "Admins connect calendars",
    empty: "No calendar connected yet",
    empty_text:
      "Connect Google Calendar, and appointments from here appear there. Busy time from there closes slots here.",
    connect: "Connect a calendar",
    add_google: "Google Calendar",
    add_google_hint: "You sign in at Google and choose the calendars.",
    provider: { google: "Google Calendar", calendly: "Calendly" },
    state: { connected: "Connected", disconnected: "Disconnected" },
    needs_you: "Needs you",
    last_sync: "Last sync",
    never_synced: "Not synced yet",
    changes: "Changes arrive",
    mode: { push: "At once, by push", polling: "Checked every 5 minutes" },
    mode_reason: {
      no_https: "Push needs an https address. Set PUBLIC_URL to one.",
      not_supported: "This calendar offers no push.",
      address_refused: "The provider refused the address of this installation.",
      push_missed: "A push did not arrive. Push is back once the next one does.",
      forbidden: "Calendly refused webhooks for this token or plan.",
    },
    renewal: "Push renewed by",
    scope: "Covers",
    scopes: { organization: "The whole organization", user: "Only this person" },
    since: "Connected since",
    disconnect: "Disconnect…",
    disconnect_submit: "Disconnect",
    disconnect_title: "Disconnect {{name}}?",
    disconnect_text:
      "Changes stop in both directions at once. You can connect the account again at any time.",
    what_stays: "Stays",
    what_goes: "Goes",
    stays: {
      appointments: "All appointments stay, with their ids and history.",
      events_google: "Events in Google Calendar stay as they are.",
      events_calendly: "Bookings in Calendly stay as they are.",
    },
    goes: {
      busy: "Busy time from there no longer closes your free slots.",
      grant_google: "We give our access back to Google and delete it here.",
      grant_calendly: "We end the webhook subscription and delete the token.",
    },
    disconnected: "The calendar is disconnected. Your appointments stay.",
    not_disconnected: "The calendar is still connected",
    hide_result: "Hide this notice",
    result: {
      connected: {
        title: "Google Calendar is connected",
        text: "Choose now which calendars belong to your team. Nothing syncs before that.",
      },
      denied: {
        title: "Nothing was connected: access was not granted",
        text: "You chose Cancel at Google. Connect again and choose Continue there.",
      },
      missing_scopes: {
        title: "Nothing was connected: a permission is missing",
        text: "Connect again and tick every box that Google shows.",
      },
      no_refresh_token: {
        title: "Nothing was connected: Google gave no lasting access",
        text: "Remove this app at myaccount.google.com/connections, then connect again.",
      },
      other_account: {
        title: "Nothing was connected: another Google account answered",
        text: "Connect again and choose the account of this connection.",
      },
      expired: {
        title: "Nothing was connected: this sign-in is no longer valid",
        text: "A sign-in is good for 10 minutes, once, in the browser that began it. Connect again.",
      },
      failed: {
        title: "Nothing was connected: Google did not finish the sign-in",
        text: "Your other calendars are as before. Try again in a minute.",
      },
    },
    google: {
      title: "Connect Google Calendar",
      text: "You sign in at Google and choose the account. Then you choose its calendars here.",
      rules: "Google's rules for your app",
      rule: {
        testing:
          "Publishing status “Testing”: Google ends the access after 7 days. You would connect again each week.",
        unverified: "Published but not verified: at most 100 people can connect.",
        internal: "User type “Internal” in Google Workspace: no review and no limit.",
      },
      go: "Continue to Google",
      not_started: "Google was not opened",
      missing: "This installation has no Google app yet",
      missing_text:
        "Whoever runs this installation creates an OAuth client at Google and sets these variables:",
      redirect: "Redirect URI",
      redirect_text: "Add exactly this address to the OAuth client at Google.",
      console: "Open Google Cloud",
    },
    mapping: "Calendars",
    no_links: "No calendar chosen yet. Nothing syncs before that.",
    choose: "Choose calendars",
    choose_text:
      "Give each Google calendar the calendar of a person, room or chair. One Google calendar belongs to one of them.",
    edit: "Change",
    google_calendar: "Google calendar",
    agenda: "Calendar here",
    nobody: "Not used",
    primary: "main calendar",
    read_only: "you may only read it",
    lost: "no longer offered by Google",
    direction: "Direction",
    directions: {
      two_way: "Both ways",
      write_only: "Only to Google",
      busy_only: "Only busy time",
    },
    other_events: "Other events",
    others: { busy: "Close the time", ignore: "Ignore" },
    other_events_text: "Events without a customer, such as a lunch.",
    twice: "{{agenda}} is chosen twice. A calendar here has one Google calendar.",
    no_calendars: "This Google account has no calendar that we may write to.",
    saved: "Saved. The first sync takes a moment.",
    trouble: {
      grant_revoked: {
        title: "Google no longer accepts our access",
        text: "Somebody removed it, or the password was changed. Appointments are kept and sync after you connect again.",
      },
      testing_expired: {
        title: "Google ended the access after 7 days",
        text: "Your Google app is in “Testing”. Publish it or make it “Internal”, then connect again.",
      },
      missing_scopes: {
        title: "A permission is missing",
        text: "Connect again and tick every box.",
      },
      api_disabled: {
        title: "The Google Calendar API is turned off",
        text: "Turn it on in your Google Cloud project, wait a minute, then sync.",
      },
      quota: {
        title: "Google limits our calls at the moment",
        text: "We slow down and go on by ourselves. Nothing is lost.",
      },
      forbidden: {
        title: "We may no longer use a calendar",
        text: "Its owner changed who may edit it. Choose the calendars again.",
      },
      not_found: {
        title: "A calendar no longer exists",
        text: "It was deleted, or is no longer shared with this account. Choose the calendars again.",
      },
      unreachable: {
        title: "The last sync got no answer",
        text: "We try again by ourselves. Nothing is lost.",
      },
      disconnected: {
        title: "This calendar is disconnected",
        text: "Appointments stay. Connect it again to sync.",
      },
      other: { title: "The last sync failed", text: "We try again by ourselves. Cause: {{code}}." },
    },
    remedy: {
      connect: "Connect again",
      api: "Turn on the API",
      choose: "Choose calendars",
    },
    failed_at: "Since",
  },
};
