//! `template import`, `template list`, `template archive`, `template unarchive`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{FaultCode, SavedTemplate, TemplateFields, TemplateFilter, intake_text};
use clap::Subcommand;
use domain::TemplateId;
use serde_json::{Value, json};

use super::{Context, OfCompany, OfUpload, read};
use crate::output::{Failure, print, remark, strangers, table};

/// Import, replace, list and archive templates
#[derive(Debug, Subcommand)]
pub enum Template {
    /// Import a PDF with its fields; prints only the `template_id`
    Import {
        #[command(flatten)]
        of: OfCompany,
        /// The PDF to import
        file: PathBuf,
        /// The fields and steps (FIELDS.json); if omitted, the PDF's own form fields, all for one signer
        #[arg(long, value_name = "FIELDS.json")]
        fields: Option<PathBuf>,
        /// Also import the PDF's own form fields, with the steps and roles from FIELDS.json
        #[arg(long, requires = "fields")]
        form_fields: bool,
        /// The template's name, if there is no FIELDS.json; the file's name if omitted
        #[arg(long, conflicts_with = "fields")]
        name: Option<String>,
        /// Create a new version of this template; new documents use it, running ones keep theirs
        #[arg(long, value_name = "TEMPLATE_ID", value_parser = template_id)]
        replace: Option<TemplateId>,
        #[command(flatten)]
        upload: OfUpload,
    },
    /// List a company's templates, including archived ones
    List {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Archive a template, so that no new documents can be started from it; running ones continue
    Archive {
        #[command(flatten)]
        of: OfCompany,
        /// The template's ID
        #[arg(value_name = "TEMPLATE_ID", value_parser = template_id)]
        id: TemplateId,
    },
    /// Restore an archived template, so that documents can be started from it again
    Unarchive {
        #[command(flatten)]
        of: OfCompany,
        /// The template's ID
        #[arg(value_name = "TEMPLATE_ID", value_parser = template_id)]
        id: TemplateId,
    },
}

impl Template {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Template::Import {
                of,
                file,
                fields: fields_file,
                form_fields,
                name,
                replace,
                upload,
            } => {
                let pdf = read(&file)?;
                let given = fields_file.as_deref().map(read).transpose()?;
                let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                let name = name.or_else(stem).unwrap_or_default();
                let fields = match &given {
                    Some(given) if !form_fields => TemplateFields::File(given),
                    given => TemplateFields::Form {
                        name: &name,
                        file: given.as_deref(),
                    },
                };
                let wishes = upload.wishes()?;
                let app = context.open()?.app;
                let imported = app
                    .import_template_as(&of.operator(&app)?, replace, &pdf, fields, &wishes)
                    .map_err(|error| refused(error, &file, fields_file.as_deref().unwrap_or(&file)))?;
                for line in imported
                    .report
                    .iter()
                    .flat_map(|report| intake_text::remarks(upload.language, report))
                {
                    remark(context.json, &format!("{}: {line}", file.display()));
                }
                let saved = SavedTemplate::new(upload.language, imported);
                for warning in &saved.warnings {
                    remark(
                        context.json,
                        &format!("{}: {}", file.display(), strangers(&warning.message)),
                    );
                }
                print(context.json, &json!(saved), &saved.template_id.to_string());
            }
            Template::List { of } => list(context, &of)?,
            Template::Archive { of, id } => {
                let app = context.open()?.app;
                let at = app.archive_template(&of.operator(&app)?, id)?;
                let value = json!({"template_id": id, "archived_at": at});
                print(context.json, &value, &format!("template {id} is archived"));
            }
            Template::Unarchive { of, id } => {
                let app = context.open()?.app;
                app.unarchive_template(&of.operator(&app)?, id)?;
                let value = json!({"template_id": id, "archived_at": null});
                print(context.json, &value, &format!("template {id} is no longer archived"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(context: &Context, of: &OfCompany) -> Result<(), Failure> {
    let app = context.open()?.app;
    let operator = of.operator(&app)?;
    let filter = TemplateFilter {
        with_archived: true,
        ..TemplateFilter::default()
    };
    let mut templates = Vec::new();
    loop {
        let before = templates.last().map(|template: &app::TemplateSummary| template.id);
        let page = app.templates(&operator, TemplateFilter { before, ..filter })?;
        if page.is_empty() {
            break;
        }
        templates.extend(page);
    }
    let values: Vec<Value> = templates
        .iter()
        .map(|template| {
            json!({
                "template_id": template.id,
                "name": template.name,
                "version": template.current_version,
                "created_at": template.created_at,
                "archived_at": template.archived_at,
            })
        })
        .collect();
    let rows: Vec<Vec<String>> = templates
        .iter()
        .map(|template| {
            let archived = if template.archived_at.is_some() { "archived" } else { "" };
            vec![
                template.id.to_string(),
                template.name.clone(),
                template.current_version.to_string(),
                archived.to_owned(),
            ]
        })
        .collect();
    print(
        context.json,
        &Value::from(values),
        &table(&["ID", "NAME", "VERSION", ""], &rows),
    );
    Ok(())
}

fn template_id(text: &str) -> Result<TemplateId, String> {
    text.parse()
        .map(TemplateId)
        .map_err(|_| "a template_id must be a whole number; run `countersign template list` to see them".to_owned())
}

/// Builds the failure for errors in the two files. Each error names the file that it is in.
fn refused(error: app::Error, pdf: &Path, fields: &Path) -> Failure {
    let app::Error::Unprocessable(mut faults) = error else {
        return error.into();
    };
    for fault in &mut faults {
        // An error in the PDF's form is reported with the form's name.
        let is_of_pdf =
            fault.path == "file" || fault.path.starts_with("form_fields") || fault.code == FaultCode::NoFormFields;
        let file = if is_of_pdf { pdf } else { fields };
        let file = file.display();
        fault.path = match fault.path.as_str() {
            "" | "file" => file.to_string(),
            within => format!("{file}: {within}"),
        };
    }
    app::Error::Unprocessable(faults).into()
}
