export interface App {
  app_id: string;
  name: string;
  bot_id: string;
  bot_user_id: string;
  scopes: { bot: string[]; user: string[] };
  created_by: string;
  created_at: string;
  managed?: boolean;
  manifest?: unknown;
}

/** The secrets of an app, which are shown once. */
export interface Secrets {
  app_id: string;
  name: string;
  bot_token: string;
  user_token?: string;
  signing_secret: string;
  verification_token: string;
  warnings: string[];
}
