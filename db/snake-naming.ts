import { DefaultNamingStrategy, type NamingStrategyInterface } from "typeorm";

/** Properties are camelCase in TypeScript, columns snake_case in MySQL. */
export class SnakeNaming extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
