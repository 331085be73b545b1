//! Arrays of numbers with shapes.

/// One array of numbers.
///
/// # Examples
///
/// ```
/// use tesuji_nn::Tensor;
/// let tensor = Tensor::filled(&[2, 3], 0.5);
/// assert_eq!((tensor.shape, tensor.data), (vec![2, 3], vec![0.5; 6]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Its sides; the last runs fastest.
    pub shape: Vec<usize>,
    /// `[product of shape]`.
    pub data: Vec<f32>,
}

impl Tensor {
    /// All of one number.
    pub fn filled(shape: &[usize], number: f32) -> Self {
        Tensor { shape: shape.to_vec(), data: vec![number; shape.iter().product()] }
    }
}
