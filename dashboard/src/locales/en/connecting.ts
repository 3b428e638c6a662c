/** The steps that connect a channel of Meta. */
export const connecting = {
  connecting: {
    steps: "Steps",
    step: {
      network: "Network",
      app: "Meta app",
      account: "Account",
      check: "Checks",
      done: "Done",
    },
    title: {
      network: "Which network do you connect?",
      app: "Which Meta app receives the messages?",
      account: "Token and account",
      check: "Meta checks the account",
      done: "Your channel is there",
    },
    network: {
      whatsapp_cloud: "A number of the WhatsApp Business Platform (Cloud API).",
      messenger: "The messages of a Facebook Page.",
      instagram_page: "A professional account that is linked to a Facebook Page.",
      instagram_login: "A professional account without a Page.",
    },
    next: "Continue",
    back: "Back",
    app_choice: "Meta app",
    app: "App {{id}}",
    app_new: "Another app",
    app_text:
      "Open your app at developers.facebook.com, then Settings and Basic. Copy id and secret from there.",
    app_again: "This app has no secret of Instagram yet. Save both secrets again.",
    app_id: "App ID",
    app_id_text: "The digits at the top of the app's page.",
    app_secret: "App secret",
    app_secret_text: "It is stored encrypted, and nobody can read it here again.",
    instagram_secret: "Instagram app secret",
    instagram_secret_text:
      "In the same app under Instagram, API setup with Instagram login. It is another secret than the one above.",
    app_save: "Save the app",
    app_saved: "The app is saved",
    paste: {
      whatsapp_cloud:
        "At Meta, open WhatsApp and Configuration of the app. Paste both as callback, then tick the fields below.",
      messenger:
        "At Meta, open Messenger and the API settings of the app. Paste both as callback for the Page.",
      instagram_page:
        "At Meta, open Instagram and Webhooks of the app. Paste both as callback for the account.",
      instagram_login:
        "At Meta, open Instagram and API setup with Instagram login. Paste both as callback under Webhooks.",
    },
    webhook_url: "Callback URL",
    verify_token: "Verify token",
    tick: "Fields to tick",
    not_seen: "Not yet",
    waba_id: "WhatsApp Business Account ID",
    waba_id_text: "At Meta under WhatsApp, API Setup. It is not the id of the number.",
    page_id: "Page ID",
    page_id_text: "On the Page under About, Page transparency.",
    page_id_optional: "May stay empty: the token belongs to one Page.",
    token: "Access token",
    token_text: {
      whatsapp_cloud:
        "Of a system user with whatsapp_business_messaging and whatsapp_business_management. It does not expire.",
      messenger: "Of the Page, with pages_messaging and pages_manage_metadata.",
      instagram_page:
        "Of the Page, with instagram_basic, instagram_manage_messages and pages_manage_metadata.",
      instagram_login:
        "Of the account, from API setup with Instagram login. It is renewed by itself before its 60 days end.",
    },
    again_text: "{{name}} ({{address}}) gets a new token. Conversations and settings stay.",
    find: "Find the numbers",
    number: "Number",
    no_number: "This account has no number. Add one at Meta, then try again.",
    not_registered: "Not registered",
    check: "Check and connect",
    checks: "Checks",
    check_step: {
      token: "The token is valid and has its permissions",
      account: "The token reaches the account",
      register: "The number is registered",
      subscribe: "Meta sends webhooks here",
    },
    outcome: { running: "Checking…", passed: "Passed", failed: "Failed", open: "Not checked" },
    missing_scopes: "Missing permissions",
    meta_says: "Meta's words",
    meta_says_code: "Meta's words, code {{code}}",
    mend: { app: "Change the app", account: "Change token and ids" },
    try_again: "Try again",
    open: "Open the channel",
  },
};
