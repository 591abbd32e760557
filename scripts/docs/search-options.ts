/** The same for the build of the index and for the script that searches it. */
export const searchOptions = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "section", "excerpt"],
};
