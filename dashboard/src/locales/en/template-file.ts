/** The file in the heading of a template. */
export const templateFile = {
  template_file: {
    heading: "File of the heading",
    choose: "Upload a file",
    remove: "Remove {{name}}",
    too_large: "The file is larger than {{count, number}} MB. Choose a smaller one.",
    wrong_image: "The heading takes a picture: JPEG or PNG.",
    wrong_video: "The heading takes a video: MP4 or 3GP.",
    wrong_document: "The heading takes a document, such as a PDF.",
  },
};
