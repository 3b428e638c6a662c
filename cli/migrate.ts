import { loadConfig } from "../core/config.ts";
import { createDataSource } from "../db/data-source.ts";
import { migrate, undoMigration } from "../db/migrate.ts";
import { print, readOptions, type Command } from "./command.ts";

const help = `Brings the database schema up to date. Several processes may run it at once. Where one was
interrupted, the next goes on.

Usage: parley migrate [--down]

  --down    undo the newest migration instead
  --help    print this

Needs DATABASE_URL and SECRET_KEY.`;

/** `parley migrate` */
export const migrateCommand: Command = {
  help,
  async run(args) {
    const { down } = readOptions(args, { down: { type: "boolean", default: false } });
    const database = { url: loadConfig().databaseUrl, poolSize: 2 };
    const dataSource = await createDataSource(database).initialize();
    try {
      if (down) print(describeUndone(await undoMigration(dataSource)));
      else print(describeRan(await migrate(dataSource)));
    } finally {
      await dataSource.destroy();
    }
  },
};

function describeRan(names: string[]): string {
  return names.length === 0 ? "The schema is up to date." : `Ran ${names.join(", ")}.`;
}

function describeUndone(name: string | null): string {
  return name === null ? "There is no migration to undo." : `Undid ${name}.`;
}
