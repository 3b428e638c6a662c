/** The part of the error catalogue for imports. */
export const importErrors = {
  import_not_found: { status: 404, message: "There is no import with this id." },
  import_not_mapped: { status: 409, message: "Save the mapping of this import first." },
  import_state: { status: 409, message: "This does not apply to the import in its state." },
  import_undo_expired: {
    status: 409,
    message: "An import can be undone for 24 hours after its end. Change the contacts themselves.",
  },
  import_file_invalid: {
    status: 422,
    message: "This file cannot be imported. `details` has the code of its fault, and the line.",
  },
} as const;
